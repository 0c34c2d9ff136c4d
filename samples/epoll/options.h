/* SPDX-License-Identifier: MIT */
#ifndef _OPTIONS_H
#define _OPTIONS_H

#include <linux/types.h>

struct timeout_backend;

/**
 * struct options - the values of the command line
 * @backend: What keeps the timeouts.
 * @connections: Number of clients; each has one connection.
 * @seconds: How long clients send.
 * @idle_ns: Silence after which a connection is closed.
 * @every_ns: How often a client sends a request.
 * @silent: Of a thousand clients, so many fall silent.
 * @leaving: Of a thousand clients, so many say goodbye.
 * @seed: Seed of the random numbers.
 */
struct options {
	const struct timeout_backend	*backend;
	__u64				connections;
	__u64				seconds;
	__u64				idle_ns;
	__u64				every_ns;
	__u64				silent;
	__u64				leaving;
	__u64				seed;
};

/* Ends the program after --help and after a mistake. */
void options_parse(struct options *options, int argc, char **argv);

#endif /* _OPTIONS_H */

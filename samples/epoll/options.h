/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _OPTIONS_H
#define _OPTIONS_H

#include <linux/types.h>

struct timeouts_type;

/**
 * struct options - what the command line says
 * @type: What keeps the timeouts.
 * @connections: How many clients there are.
 * @seconds: How long they send.
 * @idle_ns: Silence after which a connection is closed.
 * @every_ns: How often a client sends something.
 * @silent: Of a thousand clients, how many fall silent.
 * @leaving: Of a thousand clients, how many say goodbye.
 * @seed: Of all that is random.
 */
struct options {
	const struct timeouts_type	*type;
	__u32				connections;
	__u32				seconds;
	__u64				idle_ns;
	__u64				every_ns;
	__u32				silent;
	__u32				leaving;
	__u64				seed;
};

/* Ends the program if there is no more to do. */
void options_parse(struct options *options, int argc, char **argv);

#endif /* _OPTIONS_H */

// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <libtwheel.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/exit.h"
#include "client.h"
#include "options.h"

/* Messages in one write(), and bytes in the pipe. */
enum { CHUNK = 4096, PIPE_SIZE = 1 << 20 };

/* splitmix64 as a hash: the same seed gives each client the same numbers in every run */
static __u64 mix(__u64 value)
{
	value += 0x9e3779b97f4a7c15;
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
	value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
	return value ^ (value >> 31);
}

enum fate client_fate(const struct options *o, __u32 client)
{
	const __u64 lot = mix(o->seed ^ mix(client)) % 1000;

	if (lot < o->silent)
		return FALLS_SILENT;
	return lot < o->silent + o->leaving ? SAYS_GOODBYE : SENDS_ON;
}

/*
 * The first round in which a client is silent, or says goodbye. It is early enough for
 * the connection to time out before the other clients stop.
 */
static __u32 last_round(const struct clients *c, __u32 client)
{
	const struct options *o = c->options;
	const __u32 wait = o->idle_ns / o->every_ns + 2;

	return mix(o->seed + mix(client)) % (c->rounds - wait + 1);
}

/* Whether @client sends in @round; if so, @message is what it sends. */
static bool message_in(const struct clients *c, __u32 client, __u32 round,
		       struct message *message)
{
	const enum fate fate = client_fate(c->options, client);
	const __u32 last = fate == SENDS_ON ? 0 : last_round(c, client);

	*message = (struct message){ .client = client, .type = MESSAGE_REQUEST };
	if (fate == SENDS_ON || round < last)
		return true;
	message->type = MESSAGE_GOODBYE;
	return fate == SAYS_GOODBYE && round == last;
}

/*
 * The client at @place of a scattered order. The factor is a prime above the greatest
 * number of clients, so each client has exactly one place.
 */
static __u32 client_at(const struct options *o, __u32 place)
{
	return place * 2654435761ULL % o->connections;
}

static void send_messages(const struct clients *c, const struct message *messages,
			  size_t count)
{
	const ssize_t size = count * sizeof(*messages);

	/* a write() that blocks writes all, unless a signal comes: there are none here */
	if (write(c->write_fd, messages, size) != size)
		err(EXIT_FAILURE, "cannot write to the server");
}

static void sleep_until(__u64 time_ns)
{
	const struct timespec ts = {
		.tv_sec = time_ns / 1000000000,
		.tv_nsec = time_ns % 1000000000,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		continue;
}

static void say_hello(const struct clients *c)
{
	struct message messages[CHUNK];
	size_t used = 0;
	__u32 place;

	for (place = 0; place < c->options->connections; place++) {
		messages[used++] = (struct message){
			.client = client_at(c->options, place),
			.type = MESSAGE_HELLO,
		};
		if (used == CHUNK || place + 1 == c->options->connections) {
			send_messages(c, messages, used);
			used = 0;
		}
	}
}

/* The messages are spread over the round. It takes longer if the server is slow. */
static void send_round(struct clients *c, __u32 round, __u64 start)
{
	const struct options *o = c->options;
	const size_t burst = o->connections / 64 + 1;
	struct message messages[CHUNK];
	size_t used = 0;
	__u32 place;

	for (place = 0; place < o->connections; place++) {
		used += message_in(c, client_at(o, place), round, &messages[used]);
		if (used < CHUNK && used < burst && place + 1 < o->connections)
			continue;
		sleep_until(start + o->every_ns / o->connections * place);
		send_messages(c, messages, used);
		*c->sent += used;
		used = 0;
	}
}

static void send_all(struct clients *c)
{
	__u64 start;
	__u32 round;

	say_hello(c);
	start = twheel_now(CLOCK_MONOTONIC);
	for (round = 0; round < c->rounds; round++)
		send_round(c, round, start + round * c->options->every_ns);
}

void clients_start(struct clients *c, const struct options *options)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		err(EXIT_FAILURE, "pipe");
	*c = (struct clients){
		.options = options,
		.fd = ends[0],
		.write_fd = ends[1],
		.rounds = options->seconds * 1000000000ULL / options->every_ns,
		.sent = mmap(NULL, sizeof(*c->sent), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0),
	};
	if (c->sent == MAP_FAILED)
		err(EXIT_FAILURE, "no shared memory");
	/* a small pipe works too, only slower */
	fcntl(c->write_fd, F_SETPIPE_SZ, PIPE_SIZE);
	fcntl(c->fd, F_SETFL, O_NONBLOCK);
	c->process = fork();
	if (c->process < 0)
		err(EXIT_FAILURE, "fork");
	if (!c->process) {
		/* without a reader the pipe ends this process by SIGPIPE */
		close(c->fd);
		send_all(c);
		_exit(EXIT_SUCCESS);
	}
	close(c->write_fd);
}

void clients_join(struct clients *c)
{
	int status;

	if (waitpid(c->process, &status, 0) != c->process || status)
		errx(EXIT_FAILURE, "the clients' process failed");
	close(c->fd);
}

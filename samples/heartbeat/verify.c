// SPDX-License-Identifier: MIT
/*
 * Statistics, and the checks at the end.
 */
#include <libtwheel.h>
#include <stdio.h>

#include "../common/exit.h"
#include "heartbeat.h"

void report(const struct options *o, const struct worker *workers,
	    const struct reader *reader)
{
	__u64 heartbeats = 0, late = 0, cpu = 0;
	unsigned int i;

	for (i = 0; i < o->threads; i++) {
		const struct worker *w = &workers[i];

		printf("cpu %-4u        %llu heartbeats, %llu ns each\n", w->cpu,
		       w->heartbeats, w->heartbeats ? w->cpu_ns / w->heartbeats : 0);
		heartbeats += w->heartbeats;
		late += w->late;
		cpu += w->cpu_ns;
	}
	printf("clients         %llu\n", o->clients);
	printf("heartbeats      %llu\n", heartbeats);
	printf("cpu_ns          %llu for each\n", heartbeats ? cpu / heartbeats : 0);
	printf("offline         %llu silent ones of %llu\n", reader->silent,
	       reader->expected);
	printf("too_slow        %llu heartbeats of clients that were offline\n", late);
	printf("lateness_us     %llu at worst\n", reader->worst / 1000);
}

/* Whether the client went offline early, or with another deadline than its last one. */
static bool expiry_is_wrong(const struct client *client)
{
	return client->expired < client->deadline ||
	       client->event_deadline != client->deadline;
}

/* Cancel the timers of all clients online. Returns how many timers did not exist. */
static __u64 cancel_all(const struct options *o, const struct client *clients, int fd)
{
	enum { MOST = 4096 };
	static struct twheel_op ops[MOST];
	__u64 next = 0, missing = 0;
	long used, i;

	while (next < o->clients) {
		for (used = 0; used < MOST && next < o->clients; next++)
			if (!clients[next].expired)
				ops[used++] = (struct twheel_op){
					.op = TWHEEL_OP_CANCEL,
					.handle = clients[next].handle,
				};
		if (twheel_submit(fd, ops, used) != used)
			errx(EXIT_FAILURE, "cannot cancel timers");
		for (i = 0; i < used; i++)
			missing += ops[i].result < 0;
	}
	return missing;
}

bool verify(const struct options *o, const struct client *clients,
	    const struct worker *workers, const struct reader *reader, int fd)
{
	__u64 i, wrong = reader->wrong, early = 0, online = 0;
	struct twheel_info info;
	bool failed = false;

	for (i = 0; i < o->threads; i++)
		early += workers[i].early;
	for (i = 0; i < o->clients; i++) {
		if (clients[i].expired)
			wrong += expiry_is_wrong(&clients[i]);
		else
			online++;
	}
	if (twheel_get_info(fd, &info))
		errx(EXIT_FAILURE, "cannot query the device");
	failed |= found_fault(early, "heartbeats found their client offline early");
	failed |= found_fault(reader->expected - reader->silent,
			      "silent clients did not go offline");
	failed |= found_fault(wrong, "events do not fit the last heartbeat of their client");
	failed |= found_fault(info.timers != online,
			      "count differs: timers, and clients online");
	failed |= found_fault(cancel_all(o, clients, fd), "timers were lost");
	return !failed;
}

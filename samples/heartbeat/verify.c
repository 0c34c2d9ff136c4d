// SPDX-License-Identifier: GPL-2.0
/*
 * What came of it, and was it right?
 */
#include <libtwheel.h>
#include <stdio.h>

#include "../number.h"
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

static bool complain(__u64 count, const char *what)
{
	if (count)
		warnx("%llu %s", count, what);
	return count;
}

/* How many events of this client are not as they have to be. */
static bool expiry_wrong(const struct client *client)
{
	return client->expired < client->deadline ||
	       client->event_deadline != client->deadline;
}

/* End all timers. How many were not there, though their client is online. */
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
			errx(WENT_WRONG, "cannot cancel timers");
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
			wrong += expiry_wrong(&clients[i]);
		else
			online++;
	}
	if (twheel_get_info(fd, &info))
		errx(WENT_WRONG, "cannot ask the device");
	failed |= complain(early, "heartbeats found their client offline early");
	failed |= complain(reader->expected - reader->silent,
			   "silent clients did not go offline");
	failed |= complain(wrong, "expiries were not those of the last heartbeat");
	failed |= complain(info.timers != online, "count differs: timers, and clients online");
	failed |= complain(cancel_all(o, clients, fd), "timers were lost");
	return !failed;
}

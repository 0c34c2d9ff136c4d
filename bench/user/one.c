// SPDX-License-Identifier: GPL-2.0
/*
 * Runs one mechanism with one kind of work, for a profiler.
 *
 * usage: one MECHANISM operations|deliver|drain COUNT [REPETITIONS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "measure.h"
#include "trial.h"

static const struct mechanism *const mechanisms[] = {
	&twheel_single, &twheel_batch, &twheel_mmap, &twheel_ring,
	&twheel_ioctl_1, &twheel_ioctl_8, &twheel_ioctl_64,
	&twheel_command_1, &twheel_command_8, &twheel_command_64,
	&timerfd, &posix, &uring, &uring_single,
};

static const struct mechanism *find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mechanisms); i++)
		if (!strcmp(mechanisms[i]->name, name))
			return mechanisms[i];
	die(0, "'%s' is not a mechanism", name);
}

static void run(const struct mechanism *m, const char *work, size_t n)
{
	struct outcome o = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	run_trial(trial_operations, m, n, &o);
	if (!strcmp(work, "deliver"))
		run_trial(trial_deliver, m, n, &o);
	else if (!strcmp(work, "drain"))
		run_trial(trial_drain, m, n, &o);
	else if (strcmp(work, "operations"))
		die(0, "'%s' is not a kind of work", work);
	printf("%s %zu: arm %.0f extend %.0f cancel %.0f deliver %.0f drain %.0f ns, %.1f bytes, %.1f of slab\n",
	       m->name, n, o.arm, o.extend, o.cancel, o.deliver, o.drain, o.bytes,
	       o.slab);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long n, i;

	if (argc < 4)
		die(0, "usage: one MECHANISM operations|deliver|drain COUNT [REPETITIONS]");
	n = strtol(argv[3], NULL, 10);
	if (n < 1)
		die(0, "'%s' is not a count of timers", argv[3]);
	for (i = argc > 4 ? strtol(argv[4], NULL, 10) : 1; i > 0; i--)
		run(find(argv[1]), argv[2], (size_t)n);
	return 0;
}

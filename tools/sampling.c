// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <libtwheel.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "parse.h"
#include "report.h"
#include "sampling.h"

int sampling_take(struct sampling *sampling, char **argv)
{
	if (!strcmp(argv[0], "--count"))
		return argv[1] && parse_number(argv[1], &sampling->count) ? 2 : -1;
	if (strcmp(argv[0], "--interval"))
		return 0;
	if (!argv[1] || !parse_duration(argv[1], &sampling->interval))
		return -1;
	if (sampling->interval)
		return 2;
	report("an interval cannot be 0");
	return -1;
}

bool sampling_next(struct sampling *sampling)
{
	if (sampling->count && sampling->shown == sampling->count)
		return false;
	sampling->shown++;
	return true;
}

/* Sleep without a timer of twheel, which the picture would show. */
void sampling_wait(struct sampling *sampling)
{
	struct timespec ts;

	if (!sampling->time)
		sampling->time = twheel_now(CLOCK_MONOTONIC);
	sampling->time += sampling->interval;
	ts.tv_sec = (time_t)(sampling->time / NSEC_PER_SEC);
	ts.tv_nsec = (long)(sampling->time % NSEC_PER_SEC);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

void sampling_clear(void)
{
	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[2J", stdout);
}

// SPDX-License-Identifier: GPL-2.0
/* twheelctl list --of: the timers of another program */
#include <libtwheel.h>
#include <stdio.h>
#include "device.h"
#include "json.h"
#include "list_of.h"
#include "record.h"
#include "status.h"

enum { ROOM = 256 };

static int list_timers(int fd)
{
	struct twheel_op ops[ROOM];
	uint64_t cursor = 0;
	long i, count;
	bool expired;

	if (!json)
		record_show_header();
	do {
		count = twheel_list(fd, &cursor, ops, ROOM, 0);
		for (i = 0; i < count; i++) {
			expired = ops[i].result == TWHEEL_EXPIRED;
			if (json)
				record_show_json(&ops[i], expired ? "expired" : "pending");
			else
				record_show_row(&ops[i], expired ? "expired" : NULL);
		}
	} while (count > 0);
	fflush(stdout);
	return count < 0 ? device_report("list", count) : STATUS_DONE;
}

int list_of(int argc, char **argv)
{
	return device_with_option(argc, argv, list_timers);
}

// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include "machine.h"
#include "result.h"

void print_result(const char *engine, const char *metric, size_t n, const char *peer,
		  struct spread twheel, struct spread theirs, int digits)
{
	char key[256];

	snprintf(key, sizeof(key), "%s,%s,%s,%zu,%s", engine, kernel_name(), metric, n,
		 peer);
	printf("%s,%.*f,%.*f,%.4f\n", key, digits, twheel.median, digits, theirs.median,
	       twheel.median / theirs.median);
	printf("spread,%s,%.*f,%.*f,%.*f,%.*f\n", key, digits, twheel.min, digits,
	       twheel.max, digits, theirs.min, digits, theirs.max);
	fflush(stdout);
}

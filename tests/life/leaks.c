// SPDX-License-Identifier: GPL-2.0
/* Kernel memory that the other programs have leaked. This program runs last. */
#include "device.h"

#define KMEMLEAK "/sys/kernel/debug/kmemleak"

static void scan(void)
{
	const int fd = CALL(open(KMEMLEAK, O_WRONLY | O_CLOEXEC));

	CALL(write(fd, "scan", 4));
	close(fd);
}

TEST_TIMEOUT(nothing_has_leaked, 300)
{
	char line[256];
	FILE *file;
	int leaks = 0;

	if (access(KMEMLEAK, F_OK))
		skip("no kmemleak in this kernel");
	/* kmemleak reports memory that is 5 s old, and only in its second scan */
	sleep(6);
	scan();
	scan();
	file = fopen(KMEMLEAK, "r");
	ASSERT(file);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		note("%s", line);
		leaks += !strncmp(line, "unreferenced", 12);
	}
	ASSERT_EQ(leaks, 0);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Messages, and the page in which the worker tells its parent how far it has got.
 * Both processes map the page, so it outlives a worker that dies.
 */
#include <stdarg.h>

#include "fuzz.h"

struct report *report;

bool report_init(void)
{
	void *at = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	report = at;
	return true;
}

void report_note(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	printf("# ");
	vprintf(format, list);
	printf("\n");
	fflush(stdout);
	va_end(list);
}

/* Once there is a report, the parent prints the complaint. */
void report_die(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	if (report)
		vsnprintf(report->complaint, sizeof(report->complaint), format, list);
	else
		vfprintf(stderr, format, list);
	va_end(list);
	exit(2);
}

// SPDX-License-Identifier: GPL-2.0
#include "harm.h"

double ms(__u64 ns)
{
	return ns / 1e6;
}

bool exceeds(const char *mode, const char *what, double quiet, double figure, double bound,
	     const char *unit)
{
	const bool bounded = bound && attacked_cpu == 0;
	const bool bad = bounded && figure > bound;
	char text[32] = "-";

	if (bounded)
		snprintf(text, sizeof(text), "%.2f", bound);
	note("%s %s: %.2f %s, quiet %.2f, bound %s%s", mode, what, figure, unit, quiet, text,
	     bad ? ": EXCEEDED" : "");
	printf("# table\t%s\t%s\t%.3f\t%.3f\t%s\t%s\n", mode, what, figure, quiet, text, unit);
	fflush(stdout);
	return bad;
}

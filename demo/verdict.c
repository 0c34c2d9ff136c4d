// SPDX-License-Identifier: MIT
/*
 * How late is too late
 *
 * The wheel runs once a tick, so a timer is up to a tick late on an idle machine. On a
 * busy machine an emulator adds its own delays, sometimes long ones. Two things must
 * hold nevertheless. No run of the wheel passes over a timer that is due: the ledger
 * checks that. And the lateness of the wheel is in proportion to the lateness of plain
 * timerfds, measured on the same CPUs at the same time.
 *
 * The wheel may be later than a timerfd, for two reasons. A timerfd samples its CPU only
 * once a period. And an interrupt runs the timerfd, whereas a softirq runs the wheel: on
 * a busy machine softirqs wait for ksoftirqd, which shares the CPU with the program.
 */
#include <stdarg.h>
#include <stdio.h>
#include "verdict.h"

/* The limit: PROPORTION times the lateness of the timerfds, plus ALLOWANCE ticks. */
#define ALLOWANCE	2
#define PROPORTION	2

struct judge {
	struct screen	*screen;
	char		fault[256];
};

/* Prints one line of the verdict, and keeps the first fault for the last line. */
static void __printf(3, 4)
check(struct judge *j, bool good, const char *format, ...)
{
	struct screen *s = j->screen;
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	screen_colour(s, good ? GREEN : RED);
	screen_add(s, good ? " ok  " : " BAD ");
	screen_colour(s, PLAIN);
	screen_add(s, " %s", text);
	screen_line(s);
	if (!good && !j->fault[0])
		snprintf(j->fault, sizeof(j->fault), "%s", text);
}

static void check_lateness(struct judge *j, const struct ledger *l,
			   const struct lateness *timer, uint64_t period)
{
	double allowance = ALLOWANCE;
	double worst = PROPORTION * lateness_worst(timer) + allowance +
		       (double)period / (double)l->tick;
	double median = PROPORTION * lateness_percentile(timer, 50) + allowance;

	check(j, lateness_percentile(&l->ran, 50) <= median,
	      "half of the timers ran at most %.2f ticks late; the limit here is %.2f",
	      lateness_percentile(&l->ran, 50), median);
	check(j, lateness_worst(&l->ran) <= worst,
	      "the worst ran %.2f ticks late; the limit here is %.2f",
	      lateness_worst(&l->ran), worst);
}

/*
 * Prints the verdict. @period is the period of the timerfds, and @left the number of
 * timers that the device still has. Returns whether every check passed.
 */
bool verdict(struct screen *s, const struct ledger *l,
	     const struct lateness *timer, uint64_t period, uint64_t left)
{
	struct judge j = { .screen = s };
	const struct model *m = l->model;

	check(&j, l->armed == m->count && !l->refused,
	      "%s timers armed, %s reports; %s operations refused",
	      grouped(l->armed), grouped(l->reported), grouped(l->refused));
	check(&j, !l->tardy,
	      "%s reports came too late from this program%s", grouped(l->tardy),
	      l->tardy ? ": the machine is too slow, or too busy" : "");
	check(&j, !l->early, "%s timers expired early", grouped(l->early));
	check(&j, l->silent == m->silent && l->expired == m->silent &&
	      !l->extra && !l->lost && !l->twice,
	      "%s fell silent, %s timers expired: %s lost, %s not silent, %s twice",
	      grouped(l->silent), grouped(l->expired), grouped(l->lost),
	      grouped(l->extra), grouped(l->twice));
	check(&j, !l->wrong, "%s events had a wrong field", grouped(l->wrong));
	check(&j, !l->passed, "%s due timers were passed over by a run of the wheel",
	      grouped(l->passed));
	if (l->ran.count)
		check_lateness(&j, l, timer, period);
	check(&j, !ledger_pending(l) && !left,
	      "%s armed = %s expired + %s cancelled; the device has %s left",
	      grouped(l->armed), grouped(l->expired), grouped(l->cancelled),
	      grouped(left));

	screen_line(s);
	if (j.fault[0])
		screen_add(s, "demo: FAILED (%s): ", j.fault);
	else
		screen_add(s, "demo: passed: ");
	screen_add(s, "armed=%llu reported=%llu expired=%llu early=%llu lost=%llu",
		   (unsigned long long)l->armed,
		   (unsigned long long)l->reported,
		   (unsigned long long)l->expired,
		   (unsigned long long)l->early, (unsigned long long)l->lost);
	screen_add(s, "; ticks late (median/99%%/worst): wheel %.2f/%.2f/%.2f, timerfd %.2f/%.2f/%.2f",
		   lateness_percentile(&l->ran, 50),
		   lateness_percentile(&l->ran, 99), lateness_worst(&l->ran),
		   lateness_percentile(timer, 50),
		   lateness_percentile(timer, 99), lateness_worst(timer));
	screen_line(s);
	return !j.fault[0];
}

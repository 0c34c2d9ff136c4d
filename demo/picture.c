// SPDX-License-Identifier: MIT
#include <stdio.h>
#include "clock.h"
#include "picture.h"

#define BAR	30

static double seconds(uint64_t ns)
{
	return (double)ns / NSEC_PER_SEC;
}

static const char *clock_text(uint32_t step)
{
	static char text[2][24];
	static unsigned int turn;
	char *at = text[turn++ % 2];

	snprintf(at, sizeof(text[0]), "%u:%02u", step / MODEL_MINUTES(1),
		 step % MODEL_MINUTES(1) / MODEL_SECONDS(1));
	return at;
}

/* The step to show: cancel_all() advances the calendar beyond the end of the model. */
static uint32_t shown_step(const struct status *st)
{
	return st->step < MODEL_END ? st->step : MODEL_END;
}

static void add_headline(struct screen *s, const struct status *st)
{
	screen_colour(s, BOLD);
	screen_add(s, " %s drivers on one descriptor of /dev/twheel",
		   grouped(st->ledger->model->count));
	screen_colour(s, PLAIN);
	screen_add(s, ", offline after ten minutes");
	screen_line(s);
}

static void add_bar(struct screen *s, const struct status *st)
{
	uint32_t done = shown_step(st);
	unsigned int full = done * BAR / MODEL_END;
	unsigned int i;

	screen_add(s, " %5s of %s minutes  ", clock_text(done),
		   clock_text(MODEL_END));
	screen_colour(s, GREEN);
	for (i = 0; i < full; i++)
		screen_add(s, s->ascii ? "#" : "█");
	screen_colour(s, DIM);
	for (; i < BAR; i++)
		screen_add(s, s->ascii ? "." : "░");
	screen_colour(s, PLAIN);
	screen_add(s, " %3u %%  %3.0f of %.0f s", done * 100 / MODEL_END,
		   seconds(st->elapsed_ns), seconds(st->total_ns));
	screen_line(s);
}

/* A count of faults: red unless it is 0. */
static void add_fault(struct screen *s, const char *name, uint64_t n)
{
	screen_add(s, "  %s ", name);
	screen_colour(s, n ? RED : GREEN);
	screen_add(s, "%s", grouped(n));
	screen_colour(s, PLAIN);
}

static void add_counts(struct screen *s, const struct status *st)
{
	const struct ledger *l = st->ledger;

	screen_add(s, " armed   %9s   pending %9s   %s of %s are silent",
		   grouped(l->armed), grouped(ledger_pending(l)),
		   grouped(l->silent), grouped(l->model->silent));
	screen_line(s);
	screen_add(s, " reports %9s   %7s a second, %.1f us each",
		   grouped(l->reported), grouped(st->rate),
		   (double)st->cost_ns / 1000);
	if (st->slowing)
		screen_add(s, ", slowing down");
	else if (st->behind_ns > NSEC_PER_SEC)
		screen_add(s, ", %.1f s behind", seconds(st->behind_ns));
	screen_line(s);
	screen_add(s, " expired %9s ", grouped(l->expired));
	add_fault(s, "early", l->early);
	add_fault(s, "extra", l->extra);
	add_fault(s, "twice", l->twice);
	add_fault(s, "wrong", l->wrong);
	add_fault(s, "passed over", l->passed);
	screen_line(s);
}

/* The length of a slot: "4 ms", "16 s", "50 days". */
static const char *slot_text(unsigned int level, uint64_t tick)
{
	static char text[24];
	double t = (double)tick / NSEC_PER_SEC;

	t *= (double)(1ULL << (level * DIAL_BITS));
	if (t < 1)
		snprintf(text, sizeof(text), "%.0f ms", t * 1000);
	else if (t < 120)
		snprintf(text, sizeof(text), "%.0f s", t);
	else if (t < 7200)
		snprintf(text, sizeof(text), "%.0f min", t / 60);
	else if (t < 172800)
		snprintf(text, sizeof(text), "%.0f h", t / 3600);
	else
		snprintf(text, sizeof(text), "%.0f days", t / 86400);
	return text;
}

/* One slot as one character, whose height shows the number of timers. */
static void add_slot(struct screen *s, unsigned int level, uint32_t count)
{
	static const char * const block[] = {
		"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█",
	};
	static const enum colour hue[DIAL_LEVELS] = {
		RED, YELLOW, GREEN, CYAN, BLUE, MAGENTA,
	};
	unsigned int height = 0;

	if (!count) {
		screen_colour(s, DIM);
		screen_add(s, s->ascii ? "." : "·");
		return;
	}
	screen_colour(s, hue[level]);
	if (s->ascii) {
		do {
			count /= 10;
			height++;
		} while (count);
		screen_add(s, "%u", height);
		return;
	}
	for (; count >= 4 && height < 7; count /= 4)
		height++;
	screen_add(s, "%s", block[height]);
}

static void add_hand(struct screen *s)
{
	screen_colour(s, REVERSE);
	screen_add(s, s->ascii ? "|" : "┃");
}

/* One frame of a level (the one with the hand), or both of them in two lines. */
static void add_level(struct screen *s, const struct status *st,
		      unsigned int level, unsigned int frames)
{
	const struct dial_view *dial = st->dial;
	unsigned int shown = dial->hand[level] / DIAL_FRAME;
	unsigned int frame, i;

	for (frame = 0; frame < frames; frame++) {
		if (!frame)
			screen_add(s, " %u  %-7s  ", level,
				   slot_text(level, st->ledger->tick));
		else
			screen_add(s, "  %9s  ", grouped(dial->count[level]));
		for (i = 0; i < DIAL_FRAME; i++) {
			unsigned int slot = i + DIAL_FRAME *
					    (frames == 1 ? shown : frame);

			if (slot == dial->hand[level])
				add_hand(s);
			else
				add_slot(s, level, dial->slot[level][slot]);
		}
		screen_line(s);
	}
}

static void add_wheel(struct screen *s, const struct status *st)
{
	unsigned int occupied = 0;
	unsigned int level;

	for (level = 0; level < DIAL_LEVELS; level++)
		if (st->dial->count[level])
			occupied = level + 1;
	screen_add(s, "    a slot   0       8       16      24      ");
	screen_add(s, "32      40      48      56    63");
	screen_line(s);
	for (level = 0; level < DIAL_LEVELS; level++)
		add_level(s, st, level, level < occupied ? 2 : 1);
	screen_colour(s, DIM);
	if (s->ascii)
		screen_add(s, " | is the hand; a figure says how many digits the number of timers has.");
	else
		screen_add(s, " ┃ is the hand, ▁▂▃▄▅▆▇█ are 1 timer, 4, 16 and so on to 16,384.");
	screen_line(s);
	screen_colour(s, DIM);
	screen_add(s, " The slots are computed from the deadlines. The module itself leaves a timer");
	screen_line(s);
	screen_colour(s, DIM);
	screen_add(s, " that was pushed back in its old slot until the hand gets there.");
	screen_line(s);
}

static void add_lateness(struct screen *s, const char *name,
			 const struct lateness *l)
{
	if (l->count)
		screen_add(s, " %-35s%8.2f %8.2f %8.2f   of %s", name,
			   lateness_percentile(l, 50),
			   lateness_percentile(l, 99), lateness_worst(l),
			   grouped(l->count));
	else
		screen_add(s, " %-35s%8s %8s %8s", name, "-", "-", "-");
	screen_line(s);
}

void picture_lateness(struct screen *s, const struct status *st)
{
	const struct ledger *l = st->ledger;

	screen_add(s, " late, in ticks of %2.0f ms             %8s %8s %8s",
		   (double)l->tick / NSEC_PER_MSEC, "median", "99 %", "worst");
	screen_line(s);
	add_lateness(s, "the wheel ran the timer", &l->ran);
	add_lateness(s, "the program read the expiry", &l->read);
	add_lateness(s, "the program read a plain timerfd", st->timer);
}

void picture_live(struct screen *s, const struct status *st)
{
	screen_frame(s);
	add_headline(s, st);
	add_bar(s, st);
	add_counts(s, st);
	screen_line(s);
	add_wheel(s, st);
	picture_lateness(s, st);
	screen_frame_end(s);
}

void picture_progress(struct screen *s, const struct status *st)
{
	const struct ledger *l = st->ledger;

	screen_add(s, "%4.0f s  %5s min  armed %llu  reports %llu  %llu/s, %.1f us each",
		   seconds(st->elapsed_ns), clock_text(shown_step(st)),
		   (unsigned long long)l->armed,
		   (unsigned long long)l->reported,
		   (unsigned long long)st->rate, (double)st->cost_ns / 1000);
	screen_add(s, "  silent %llu  expired %llu  early %llu",
		   (unsigned long long)l->silent,
		   (unsigned long long)l->expired,
		   (unsigned long long)l->early);
	if (st->slowing)
		screen_add(s, "  slowing down");
	else if (st->behind_ns > NSEC_PER_SEC)
		screen_add(s, "  %.1f s behind", seconds(st->behind_ns));
	screen_line(s);
}

void picture_text(struct screen *s, const struct status *st)
{
	screen_line(s);
	add_wheel(s, st);
	screen_line(s);
}

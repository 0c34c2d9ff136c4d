// SPDX-License-Identifier: MIT
/*
 * The model: a calendar with a list of drivers for each step.
 */
#include <stdlib.h>
#include "model.h"

_Static_assert(MODEL_GAP_MAX < MODEL_RING, "the calendar is too short");
_Static_assert(MODEL_ONLINE < MODEL_RING, "the calendar is too short");
_Static_assert(MODEL_GAP_MAX * 10 <= MODEL_TIMEOUT * 8, "too little margin");

/* The purposes of random numbers. */
enum salt {
	SALT_SILENT,
	SALT_MOMENT,
	SALT_GAP,
};

/* The finalizer of SplitMix64: every bit depends on all of them. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* A number below @range. The same seed, driver, purpose and step give the same number. */
static uint32_t draw(const struct model *m, uint32_t id, enum salt salt,
		     uint32_t step, uint32_t range)
{
	uint64_t key = (uint64_t)id << 32 | step;
	uint64_t random = mix(mix(m->seed * 3 + salt) + key);

	return (uint32_t)((random >> 32) * range >> 32);
}

static bool falls_silent(const struct model *m, uint32_t id)
{
	return draw(m, id, SALT_SILENT, 0, 1000) < m->permille;
}

static void schedule_at(struct model *m, uint32_t id, uint32_t step)
{
	uint32_t *head = &m->due[step % MODEL_RING];

	m->driver[id].next = *head;
	*head = id;
}

int model_init(struct model *m, uint32_t count, uint32_t permille,
	       uint64_t seed)
{
	uint32_t id;

	*m = (struct model){
		.seed = seed,
		.count = count,
		.permille = permille,
	};
	m->driver = calloc(count, sizeof(*m->driver));
	if (!m->driver)
		return -1;
	for (id = 0; id < MODEL_RING; id++)
		m->due[id] = MODEL_NONE;
	for (id = 0; id < count; id++) {
		m->silent += falls_silent(m, id);
		schedule_at(m, id, (uint32_t)((uint64_t)id * MODEL_ONLINE / count));
	}
	return 0;
}

void model_exit(struct model *m)
{
	free(m->driver);
	m->driver = NULL;
}

/* The first driver in the list of a step that has not begun, or MODEL_NONE. */
uint32_t model_first(const struct model *m, uint32_t step)
{
	return m->due[step % MODEL_RING];
}

/* Takes the next driver off the list of the current step. Returns MODEL_NONE at its end. */
uint32_t model_take_next(struct model *m)
{
	uint32_t *head = &m->due[m->step % MODEL_RING];
	uint32_t id = *head;

	if (id != MODEL_NONE)
		*head = m->driver[id].next;
	return id;
}

/*
 * Schedules the next report of a driver that has just reported. Returns false if there
 * is none, because the driver falls silent first.
 */
bool model_schedule(struct model *m, uint32_t id)
{
	uint32_t gap = MODEL_GAP_MIN + draw(m, id, SALT_GAP, m->step,
					    MODEL_GAP_MAX - MODEL_GAP_MIN + 1);

	if (falls_silent(m, id) &&
	    m->step + gap > draw(m, id, SALT_MOMENT, 0, MODEL_SILENCE))
		return false;
	schedule_at(m, id, m->step + gap);
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * New programs: from nothing, or from one or two that are worth keeping.
 */
#include <string.h>

#include "fuzz.h"

static void insert_call(struct program *program, unsigned int at,
			const struct call *call)
{
	if (program->count == MAX_CALLS)
		return;
	memmove(&program->call[at + 1], &program->call[at],
		(program->count - at) * sizeof(*call));
	program->call[at] = *call;
	program->count++;
}

void remove_call(struct program *program, unsigned int n)
{
	program->count--;
	memmove(&program->call[n], &program->call[n + 1],
		(program->count - n) * sizeof(program->call[0]));
}

void generate(struct program *program)
{
	const unsigned int count = 2 + random_below(MAX_CALLS - 4);

	/* Nearly nothing can be done without a descriptor. */
	*program = (struct program){ .count = 1 };
	program->call[0].arg[1] = random_below(2);
	while (program->count < count)
		random_call(&program->call[program->count++]);
}

static void change_arg(struct program *program)
{
	struct call *call = &program->call[random_below(program->count)];
	const struct call_type *type = &call_types[call->type];
	unsigned int n = arg_count(type);

	if (!n)
		return;
	n = random_below(n);
	switch (random_below(8)) {
	case 0:
		call->arg[n] ^= 1ULL << random_below(64);
		break;
	case 1:
		call->arg[n] += random_below(2) ? 1 : -1;
		break;
	default:
		call->arg[n] = random_value(type->arg[n].kind);
	}
}

/* Some calls of another program in the middle, or behind. */
static void splice(struct program *program, const struct program *other)
{
	unsigned int from = random_below(other->count);
	unsigned int count = 1 + random_below(other->count - from);
	unsigned int at = random_below(program->count + 1);

	while (count--)
		insert_call(program, at++, &other->call[from++]);
}

static void mutate_once(struct program *program, const struct program *other)
{
	struct call call;

	switch (random_below(10)) {
	case 0:
		if (program->count > 1)
			remove_call(program, random_below(program->count));
		break;
	case 1:
		splice(program, other);
		break;
	case 2:
		call = program->call[random_below(program->count)];
		insert_call(program, random_below(program->count + 1), &call);
		break;
	case 3:
	case 4:
	case 5:
		random_call(&call);
		insert_call(program, random_below(program->count + 1), &call);
		break;
	default:
		change_arg(program);
	}
}

void mutate(struct program *program, const struct program *other)
{
	do
		mutate_once(program, other);
	while (!one_in(3));
}

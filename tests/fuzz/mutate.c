// SPDX-License-Identifier: GPL-2.0
/*
 * New programs: random ones, and variations of programs worth keeping.
 */
#include "fuzz.h"

static unsigned int random_type(void)
{
	unsigned int n, sum = 0, left;

	for (n = 0; n < call_type_count; n++)
		sum += call_types[n].weight;
	left = random_below(sum);
	for (n = 0; left >= call_types[n].weight; n++)
		left -= call_types[n].weight;
	return n;
}

static void random_call(struct call *call)
{
	const struct call_type *type;
	unsigned int n;

	*call = (struct call){ .type = random_type() };
	type = &call_types[call->type];
	for (n = 0; n < call_arg_count(type); n++)
		call->arg[n] = value_random(type->arg[n].kind);
}

void mutate_generate(struct program *program)
{
	const unsigned int count = 2 + random_below(PROGRAM_MAX_CALLS - 4);

	/* The first call is an open: nearly all calls need a descriptor. */
	*program = (struct program){ .count = 1 };
	program->call[0].arg[1] = random_below(2);
	while (program->count < count)
		random_call(&program->call[program->count++]);
}

static void change_arg(struct program *program)
{
	struct call *call = &program->call[random_below(program->count)];
	const struct call_type *type = &call_types[call->type];
	unsigned int n = call_arg_count(type);

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
		call->arg[n] = value_random(type->arg[n].kind);
	}
}

static void splice_calls(struct program *program, const struct program *other)
{
	unsigned int from = random_below(other->count);
	unsigned int count = 1 + random_below(other->count - from);
	unsigned int at = random_below(program->count + 1);

	while (count--)
		program_insert_call(program, at++, &other->call[from++]);
}

static void mutate_once(struct program *program, const struct program *other)
{
	struct call call;

	switch (random_below(10)) {
	case 0:
		if (program->count > 1)
			program_remove_call(program, random_below(program->count));
		break;
	case 1:
		splice_calls(program, other);
		break;
	case 2:
		call = program->call[random_below(program->count)];
		program_insert_call(program, random_below(program->count + 1), &call);
		break;
	case 3 ... 5:
		random_call(&call);
		program_insert_call(program, random_below(program->count + 1), &call);
		break;
	default:
		change_arg(program);
	}
}

void mutate_program(struct program *program, const struct program *other)
{
	do
		mutate_once(program, other);
	while (!random_one_in(3));
}

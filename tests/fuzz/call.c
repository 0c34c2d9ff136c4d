// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar: which calls there are, with which arguments. A program is written
 * with a call a line, "name argument=value ...", in the order of the grammar; what
 * is missing is 0, and a line that begins with # says something to people.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "world.h"

const struct call_type call_types[] = {
	{ "open", 6, do_open, { { "file", FILE_SLOT }, { "flags", SMALL } } },
	{ "close", 3, do_close, { { "file", FILE_SLOT } } },
	{ "dup", 1, do_dup, { { "file", FILE_SLOT }, { "to", FILE_SLOT } } },
	{ "read", 8, do_read, { { "file", FILE_SLOT }, { "size", SIZE },
				{ "where", WHERE } } },
	{ "readv", 3, do_readv, { { "file", FILE_SLOT }, { "first", SIZE },
				  { "second", SIZE }, { "where", WHERE },
				  { "flags", SMALL } } },
	{ "poll", 3, do_poll, { { "file", FILE_SLOT }, { "ms", SMALL } } },
	{ "epoll", 2, do_epoll, { { "file", FILE_SLOT }, { "what", SMALL } } },
	{ "fcntl", 2, do_fcntl, { { "file", FILE_SLOT }, { "what", SMALL } } },
	{ "fdinfo", 1, do_fdinfo, { { "file", FILE_SLOT } } },
	{ "misuse", 1, do_misuse, { { "file", FILE_SLOT }, { "what", SMALL } } },

	{ "info", 1, do_info, { { "file", FILE_SLOT }, { "where", WHERE } } },
	{ "add", 24, do_add, { { "file", FILE_SLOT }, { "flags", OP_FLAGS },
		{ "clock", CLOCK }, { "time", TIME }, { "period", PERIOD },
		{ "group", GROUP }, { "handle", HANDLE }, { "where", WHERE },
		{ "poke", POKE } } },
	{ "upsert", 8, do_upsert, { { "file", FILE_SLOT }, { "flags", OP_FLAGS },
		{ "clock", CLOCK }, { "time", TIME }, { "period", PERIOD },
		{ "group", GROUP }, { "handle", HANDLE }, { "where", WHERE },
		{ "poke", POKE } } },
	{ "change", 8, do_change, { { "file", FILE_SLOT }, { "flags", OP_FLAGS },
				    { "time", TIME }, { "handle", HANDLE },
				    { "where", WHERE }, { "poke", POKE } } },
	{ "cancel", 5, do_cancel, { { "file", FILE_SLOT }, { "handle", HANDLE },
				    { "where", WHERE }, { "poke", POKE } } },
	{ "query", 3, do_query, { { "file", FILE_SLOT }, { "flags", OP_FLAGS },
				  { "handle", HANDLE }, { "where", WHERE },
				  { "poke", POKE } } },
	{ "cancel_group", 4, do_cancel_group, { { "file", FILE_SLOT },
						{ "group", GROUP },
						{ "where", WHERE },
						{ "poke", POKE } } },
	{ "batch", 10, do_batch, { { "file", FILE_SLOT }, { "count", COUNT },
				   { "seed", SEED }, { "ops", BITS },
				   { "array", WHERE }, { "where", WHERE },
				   { "poke", POKE } } },
	{ "drain", 5, do_drain, { { "file", FILE_SLOT }, { "count", COUNT },
				  { "flags", SMALL }, { "array", WHERE },
				  { "where", WHERE }, { "poke", POKE } } },
	{ "restore", 2, do_restore, { { "file", FILE_SLOT },
				      { "count", COUNT } } },
	{ "eventfd", 3, do_eventfd, { { "file", FILE_SLOT }, { "fd", FD },
				      { "where", WHERE }, { "poke", POKE } } },
	{ "clock_set", 2, do_clock_set, { { "file", FILE_SLOT },
					  { "arg", SMALL } } },
	{ "raw", 1, do_raw, { { "file", FILE_SLOT }, { "request", REQUEST },
			      { "where", WHERE } } },

	{ "mmap", 7, do_mmap, { { "map", MAP_SLOT }, { "file", FILE_SLOT },
				{ "offset", MAP_OFFSET }, { "pages", PAGES },
				{ "prot", PROT }, { "flags", MAP_FLAGS } } },
	{ "munmap", 2, do_munmap, { { "map", MAP_SLOT }, { "from", SMALL },
				    { "pages", PAGES } } },
	{ "mprotect", 1, do_mprotect, { { "map", MAP_SLOT }, { "from", SMALL },
					{ "pages", PAGES }, { "prot", PROT } } },
	{ "mremap", 1, do_mremap, { { "map", MAP_SLOT }, { "from", SMALL },
				    { "pages", PAGES }, { "flags", SMALL } } },
	{ "madvise", 1, do_madvise, { { "map", MAP_SLOT }, { "advice", BITS } } },
	{ "store", 4, do_store, { { "map", MAP_SLOT }, { "at", WORD_OFFSET },
				  { "value", TIME } } },
	{ "push", 5, do_push, { { "map", MAP_SLOT }, { "handle", HANDLE },
				{ "time", TIME } } },
	{ "consume", 4, do_consume, { { "map", MAP_SLOT }, { "events", COUNT } } },
	{ "storm", 1, do_storm, { { "map", MAP_SLOT }, { "seed", SEED } } },

	{ "wait", 10, do_wait, { { "ticks", SMALL } } },
	{ "settime", 1, do_settime, { { "step", STEP } } },
	{ "user", 1, do_user, { { "user", SMALL } } },
	{ "fail", 3, do_fail, { { "nth", SMALL } } },
	{ "thread", 3, do_thread, { { "calls", SMALL } } },
	{ "fork", 1, do_fork, { { "calls", SMALL } } },
};

const unsigned int call_type_count = ARRAY_SIZE(call_types);

unsigned int arg_count(const struct call_type *type)
{
	unsigned int n = 0;

	while (n < MAX_ARGS && type->arg[n].name)
		n++;
	return n;
}

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

void random_call(struct call *call)
{
	const struct call_type *type;
	unsigned int n;

	*call = (struct call){ .type = random_type() };
	type = &call_types[call->type];
	for (n = 0; n < arg_count(type); n++)
		call->arg[n] = random_value(type->arg[n].kind);
}

static int print_value(char *text, size_t room, enum kind kind, __u64 value)
{
	if ((kind == TIME || kind == STEP) && is_near_now(value))
		return snprintf(text, room, "now%+lld", (long long)(value - NOW));
	return snprintf(text, room, value < 100000 ? "%llu" : "%#llx",
			(unsigned long long)value);
}

void print_program(const struct program *program, char text[MAX_TEXT])
{
	const struct call_type *type;
	unsigned int n, i;
	size_t at = 0;

	text[0] = 0;
	for (n = 0; n < program->count; n++) {
		type = &call_types[program->call[n].type];
		at += snprintf(text + at, MAX_TEXT - at, "%s", type->name);
		for (i = 0; i < arg_count(type); i++) {
			if (!program->call[n].arg[i])
				continue;
			at += snprintf(text + at, MAX_TEXT - at, " %s=",
				       type->arg[i].name);
			at += print_value(text + at, MAX_TEXT - at,
					  type->arg[i].kind,
					  program->call[n].arg[i]);
		}
		at += snprintf(text + at, MAX_TEXT - at, "\n");
	}
}

static bool parse_value(__u64 *value, const char *text)
{
	char *end;

	*value = 0;
	if (!strncmp(text, "now", 3)) {
		*value = NOW;
		text += 3;
		if (!*text)
			return true;
		*value += strtoll(text, &end, 0);
	} else {
		*value = strtoull(text, &end, 0);
	}
	return end != text && !*end;
}

/* One "name=value" of a call. */
static bool parse_arg(struct call *call, char *word)
{
	const struct call_type *type = &call_types[call->type];
	char *value = strchr(word, '=');
	unsigned int n;

	if (!value)
		return false;
	*value++ = 0;
	for (n = 0; n < arg_count(type); n++)
		if (!strcmp(type->arg[n].name, word))
			return parse_value(&call->arg[n], value);
	return false;
}

static bool parse_call(struct call *call, char *line)
{
	char *rest, *word = strtok_r(line, " \t", &rest);

	*call = (struct call){ };
	while (call->type < call_type_count &&
	       strcmp(call_types[call->type].name, word))
		call->type++;
	if (call->type == call_type_count)
		return false;
	while ((word = strtok_r(NULL, " \t", &rest)))
		if (!parse_arg(call, word))
			return false;
	return true;
}

bool parse_program(struct program *program, const char *text, const char *name)
{
	char *copy = strdup(text), *rest, *line;
	bool good = true;

	program->count = 0;
	for (line = strtok_r(copy, "\n", &rest); line && good;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (*line == '#' || !line[strspn(line, " \t")])
			continue;
		good = program->count < MAX_CALLS &&
		       parse_call(&program->call[program->count++], line);
		if (!good)
			note("%s: cannot understand '%s'", name, line);
	}
	free(copy);
	return good && program->count;
}

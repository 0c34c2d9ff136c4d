// SPDX-License-Identifier: GPL-2.0
/*
 * Programs: inserting and removing calls, and the text form that call.c describes.
 */
#include "fuzz.h"

void program_insert_call(struct program *program, unsigned int at, const struct call *call)
{
	if (program->count == PROGRAM_MAX_CALLS)
		return;
	memmove(&program->call[at + 1], &program->call[at],
		(program->count - at) * sizeof(*call));
	program->call[at] = *call;
	program->count++;
}

void program_remove_call(struct program *program, unsigned int n)
{
	program->count--;
	memmove(&program->call[n], &program->call[n + 1],
		(program->count - n) * sizeof(program->call[0]));
}

static int print_value(char *text, size_t room, enum arg_kind kind, __u64 value)
{
	if ((kind == ARG_TIME || kind == ARG_STEP) && arg_is_near_now(value))
		return snprintf(text, room, "now%+lld", (long long)(value - ARG_NOW));
	return snprintf(text, room, value < 100000 ? "%llu" : "%#llx",
			(unsigned long long)value);
}

void program_print(const struct program *program, char text[PROGRAM_MAX_TEXT])
{
	const struct call_type *type;
	unsigned int n, i;
	size_t at = 0;

	text[0] = 0;
	for (n = 0; n < program->count; n++) {
		type = &call_types[program->call[n].type];
		at += snprintf(text + at, PROGRAM_MAX_TEXT - at, "%s", type->name);
		for (i = 0; i < call_arg_count(type); i++) {
			if (!program->call[n].arg[i])
				continue;
			at += snprintf(text + at, PROGRAM_MAX_TEXT - at, " %s=",
				       type->arg[i].name);
			at += print_value(text + at, PROGRAM_MAX_TEXT - at,
					  type->arg[i].kind,
					  program->call[n].arg[i]);
		}
		at += snprintf(text + at, PROGRAM_MAX_TEXT - at, "\n");
	}
}

static bool parse_value(__u64 *value, const char *text)
{
	char *end;

	*value = 0;
	if (!strncmp(text, "now", 3)) {
		*value = ARG_NOW;
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
	for (n = 0; n < call_arg_count(type); n++)
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

bool program_parse(struct program *program, const char *text, const char *name)
{
	char *copy = strdup(text), *rest, *line;
	bool good = true;

	program->count = 0;
	for (line = strtok_r(copy, "\n;", &rest); line && good;
	     line = strtok_r(NULL, "\n;", &rest)) {
		if (*line == '#' || !line[strspn(line, " \t")])
			continue;
		good = program->count < PROGRAM_MAX_CALLS &&
		       parse_call(&program->call[program->count++], line);
		if (!good)
			report_note("%s: cannot understand '%s'", name, line);
	}
	free(copy);
	return good && program->count;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar: all calls and their arguments.
 *
 * A program is text, one call a line: "name argument=value ...", with the names below.
 * An argument that is left out is 0. Lines that begin with # are comments. The value
 * now+N or now-N is a time N nanoseconds after or before the call.
 */
#include "world.h"

const struct call_type call_types[] = {
	{ "open", 6, do_file_open, { { "file", ARG_FILE }, { "flags", ARG_SMALL } } },
	{ "close", 3, do_file_close, { { "file", ARG_FILE } } },
	{ "dup", 1, do_file_dup, { { "file", ARG_FILE }, { "to", ARG_FILE } } },
	{ "read", 8, do_file_read, {
		{ "file", ARG_FILE }, { "size", ARG_SIZE }, { "where", ARG_WHERE } } },
	{ "readv", 3, do_file_readv, {
		{ "file", ARG_FILE }, { "first", ARG_SIZE }, { "second", ARG_SIZE },
		{ "where", ARG_WHERE }, { "flags", ARG_SMALL } } },
	{ "poll", 3, do_file_poll, { { "file", ARG_FILE }, { "ms", ARG_SMALL } } },
	{ "epoll", 2, do_file_epoll, { { "file", ARG_FILE }, { "what", ARG_SMALL } } },
	{ "fcntl", 2, do_file_fcntl, { { "file", ARG_FILE }, { "what", ARG_SMALL } } },
	{ "fdinfo", 1, do_file_fdinfo, { { "file", ARG_FILE } } },
	{ "misuse", 1, do_file_misuse, { { "file", ARG_FILE }, { "what", ARG_SMALL } } },

	{ "info", 1, do_ioctl_info, { { "file", ARG_FILE }, { "where", ARG_WHERE } } },
	{ "add", 24, do_ioctl_add, {
		{ "file", ARG_FILE }, { "flags", ARG_OP_FLAGS }, { "clock", ARG_CLOCK },
		{ "time", ARG_TIME }, { "period", ARG_PERIOD }, { "group", ARG_GROUP },
		{ "handle", ARG_HANDLE }, { "where", ARG_WHERE }, { "poke", ARG_POKE },
		{ "window", ARG_PERIOD } } },
	{ "upsert", 8, do_ioctl_upsert, {
		{ "file", ARG_FILE }, { "flags", ARG_OP_FLAGS }, { "clock", ARG_CLOCK },
		{ "time", ARG_TIME }, { "period", ARG_PERIOD }, { "group", ARG_GROUP },
		{ "handle", ARG_HANDLE }, { "where", ARG_WHERE }, { "poke", ARG_POKE },
		{ "window", ARG_PERIOD } } },
	{ "change", 8, do_ioctl_change, {
		{ "file", ARG_FILE }, { "flags", ARG_OP_FLAGS }, { "time", ARG_TIME },
		{ "handle", ARG_HANDLE }, { "where", ARG_WHERE }, { "poke", ARG_POKE } } },
	{ "cancel", 5, do_ioctl_cancel, {
		{ "file", ARG_FILE }, { "handle", ARG_HANDLE }, { "where", ARG_WHERE },
		{ "poke", ARG_POKE } } },
	{ "query", 3, do_ioctl_query, {
		{ "file", ARG_FILE }, { "flags", ARG_OP_FLAGS },
		{ "handle", ARG_HANDLE }, { "where", ARG_WHERE }, { "poke", ARG_POKE } } },
	{ "cancel_group", 4, do_ioctl_cancel_group, {
		{ "file", ARG_FILE }, { "group", ARG_GROUP }, { "where", ARG_WHERE },
		{ "poke", ARG_POKE } } },
	{ "batch", 10, do_ioctl_batch, {
		{ "file", ARG_FILE }, { "count", ARG_COUNT }, { "seed", ARG_SEED },
		{ "ops", ARG_BITS }, { "array", ARG_WHERE }, { "where", ARG_WHERE },
		{ "poke", ARG_POKE } } },
	{ "drain", 5, do_ioctl_drain, {
		{ "file", ARG_FILE }, { "count", ARG_COUNT }, { "flags", ARG_SMALL },
		{ "array", ARG_WHERE }, { "where", ARG_WHERE }, { "poke", ARG_POKE } } },
	{ "restore", 2, do_ioctl_restore, {
		{ "file", ARG_FILE }, { "count", ARG_COUNT },
		{ "flags", ARG_OP_FLAGS } } },
	{ "list", 4, do_ioctl_list, {
		{ "file", ARG_FILE }, { "count", ARG_COUNT }, { "flags", ARG_SMALL },
		{ "array", ARG_WHERE }, { "where", ARG_WHERE }, { "poke", ARG_POKE },
		{ "cursor", ARG_HANDLE } } },
	{ "eventfd", 3, do_ioctl_eventfd, {
		{ "file", ARG_FILE }, { "fd", ARG_FD }, { "where", ARG_WHERE },
		{ "poke", ARG_POKE } } },
	{ "clock_set", 2, do_ioctl_clock_set, {
		{ "file", ARG_FILE }, { "arg", ARG_SMALL } } },
	{ "lease", 6, do_lease_make, {
		{ "file", ARG_FILE }, { "to", ARG_FILE }, { "handle", ARG_HANDLE },
		{ "cap", ARG_TIME }, { "flags", ARG_SMALL }, { "where", ARG_WHERE },
		{ "poke", ARG_POKE } } },
	{ "lease_use", 6, do_lease_use, {
		{ "file", ARG_FILE }, { "how", ARG_SMALL }, { "ns", ARG_TIME },
		{ "where", ARG_WHERE } } },
	{ "raw", 1, do_ioctl_raw, {
		{ "file", ARG_FILE }, { "request", ARG_REQUEST },
		{ "where", ARG_WHERE } } },

	{ "mmap", 7, do_map_mmap, {
		{ "map", ARG_MAP }, { "file", ARG_FILE }, { "offset", ARG_MAP_OFFSET },
		{ "pages", ARG_PAGES }, { "prot", ARG_PROT },
		{ "flags", ARG_MAP_FLAGS } } },
	{ "munmap", 2, do_map_munmap, {
		{ "map", ARG_MAP }, { "from", ARG_SMALL }, { "pages", ARG_PAGES } } },
	{ "mprotect", 1, do_map_mprotect, {
		{ "map", ARG_MAP }, { "from", ARG_SMALL }, { "pages", ARG_PAGES },
		{ "prot", ARG_PROT } } },
	{ "mremap", 1, do_map_mremap, {
		{ "map", ARG_MAP }, { "from", ARG_SMALL }, { "pages", ARG_PAGES },
		{ "flags", ARG_SMALL } } },
	{ "madvise", 1, do_map_madvise, { { "map", ARG_MAP }, { "advice", ARG_BITS } } },
	{ "store", 4, do_map_store, {
		{ "map", ARG_MAP }, { "at", ARG_WORD_OFFSET }, { "value", ARG_TIME } } },
	{ "push", 5, do_map_push, {
		{ "map", ARG_MAP }, { "handle", ARG_HANDLE }, { "time", ARG_TIME } } },
	{ "consume", 4, do_map_consume, { { "map", ARG_MAP }, { "events", ARG_COUNT } } },
	{ "storm", 1, do_map_storm, { { "map", ARG_MAP }, { "seed", ARG_SEED } } },

	{ "wait", 10, do_env_wait, { { "ticks", ARG_SMALL } } },
	{ "settime", 1, do_env_settime, { { "step", ARG_STEP } } },
	{ "user", 1, do_env_user, { { "user", ARG_SMALL } } },
	{ "fail", 3, do_env_fail, { { "nth", ARG_SMALL } } },
	{ "uring", 3, do_env_uring, { { "mode", ARG_SMALL } } },
	{ "thread", 3, do_env_thread, { { "calls", ARG_SMALL } } },
	{ "fork", 1, do_env_fork, { { "calls", ARG_SMALL } } },
};

const unsigned int call_type_count = ARRAY_SIZE(call_types);

unsigned int call_arg_count(const struct call_type *type)
{
	unsigned int n = 0;

	while (n < CALL_MAX_ARGS && type->arg[n].name)
		n++;
	return n;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar: all calls and their arguments.
 *
 * A program is text, one call a line: "name argument=value ...", with the names below.
 * An argument that is left out is 0. Lines that begin with # are comments. The value
 * now+N or now-N is a time N nanoseconds after or before the call.
 */
#include "world.h"

/* Arguments that several calls have */
#define ON_FILE	{ "file", ARG_FILE }
#define ON_MAP	{ "map", ARG_MAP }
#define AT	{ "where", ARG_WHERE }
#define POKED	{ "poke", ARG_POKE }
#define ARM_ARGS \
	{ ON_FILE, { "flags", ARG_OP_FLAGS }, { "clock", ARG_CLOCK }, \
	  { "time", ARG_TIME }, { "period", ARG_PERIOD }, { "group", ARG_GROUP }, \
	  { "handle", ARG_HANDLE }, AT, POKED, { "window", ARG_PERIOD } }

const struct call_type call_types[] = {
	{ "open", 6, do_file_open, { ON_FILE, { "flags", ARG_SMALL } } },
	{ "close", 3, do_file_close, { ON_FILE } },
	{ "dup", 1, do_file_dup, { ON_FILE, { "to", ARG_FILE } } },
	{ "read", 8, do_file_read, { ON_FILE, { "size", ARG_SIZE }, AT } },
	{ "readv", 3, do_file_readv, {
		ON_FILE, { "first", ARG_SIZE }, { "second", ARG_SIZE }, AT,
		{ "flags", ARG_SMALL } } },
	{ "poll", 3, do_file_poll, { ON_FILE, { "ms", ARG_SMALL } } },
	{ "epoll", 2, do_file_epoll, { ON_FILE, { "what", ARG_SMALL } } },
	{ "fcntl", 2, do_file_fcntl, { ON_FILE, { "what", ARG_SMALL } } },
	{ "fdinfo", 1, do_file_fdinfo, { ON_FILE } },
	{ "misuse", 1, do_file_misuse, { ON_FILE, { "what", ARG_SMALL } } },

	{ "info", 1, do_ioctl_info, { ON_FILE, AT } },
	{ "add", 24, do_ioctl_add, ARM_ARGS },
	{ "upsert", 8, do_ioctl_upsert, ARM_ARGS },
	{ "change", 8, do_ioctl_change, {
		ON_FILE, { "flags", ARG_OP_FLAGS }, { "time", ARG_TIME },
		{ "handle", ARG_HANDLE }, AT, POKED } },
	{ "cancel", 5, do_ioctl_cancel, { ON_FILE, { "handle", ARG_HANDLE }, AT, POKED } },
	{ "query", 3, do_ioctl_query, {
		ON_FILE, { "flags", ARG_OP_FLAGS }, { "handle", ARG_HANDLE }, AT, POKED } },
	{ "cancel_group", 4, do_ioctl_cancel_group, {
		ON_FILE, { "group", ARG_GROUP }, AT, POKED } },
	{ "batch", 10, do_ioctl_batch, {
		ON_FILE, { "count", ARG_COUNT }, { "seed", ARG_SEED }, { "ops", ARG_BITS },
		{ "array", ARG_WHERE }, AT, POKED } },
	{ "drain", 5, do_ioctl_drain, {
		ON_FILE, { "count", ARG_COUNT }, { "flags", ARG_SMALL }, { "array", ARG_WHERE },
		AT, POKED } },
	{ "restore", 2, do_ioctl_restore, {
		ON_FILE, { "count", ARG_COUNT }, { "flags", ARG_OP_FLAGS } } },
	{ "list", 4, do_ioctl_list, {
		ON_FILE, { "count", ARG_COUNT }, { "flags", ARG_SMALL }, { "array", ARG_WHERE },
		AT, POKED, { "cursor", ARG_HANDLE } } },
	{ "eventfd", 3, do_ioctl_eventfd, { ON_FILE, { "fd", ARG_FD }, AT, POKED } },
	{ "clock_set", 2, do_ioctl_clock_set, { ON_FILE, { "arg", ARG_SMALL } } },
	{ "lease", 6, do_lease_make, {
		ON_FILE, { "to", ARG_FILE }, { "handle", ARG_HANDLE }, { "cap", ARG_TIME },
		{ "flags", ARG_SMALL }, AT, POKED } },
	{ "lease_use", 6, do_lease_use, {
		ON_FILE, { "how", ARG_SMALL }, { "ns", ARG_TIME }, AT } },
	{ "raw", 1, do_ioctl_raw, { ON_FILE, { "request", ARG_REQUEST }, AT } },

	{ "mmap", 7, do_map_mmap, {
		ON_MAP, ON_FILE, { "offset", ARG_MAP_OFFSET }, { "pages", ARG_PAGES },
		{ "prot", ARG_PROT }, { "flags", ARG_MAP_FLAGS } } },
	{ "munmap", 2, do_map_munmap, { ON_MAP, { "from", ARG_SMALL }, { "pages", ARG_PAGES } } },
	{ "mprotect", 1, do_map_mprotect, {
		ON_MAP, { "from", ARG_SMALL }, { "pages", ARG_PAGES }, { "prot", ARG_PROT } } },
	{ "mremap", 1, do_map_mremap, {
		ON_MAP, { "from", ARG_SMALL }, { "pages", ARG_PAGES },
		{ "flags", ARG_SMALL } } },
	{ "madvise", 1, do_map_madvise, { ON_MAP, { "advice", ARG_BITS } } },
	{ "store", 4, do_map_store, { ON_MAP, { "at", ARG_WORD_OFFSET }, { "value", ARG_TIME } } },
	{ "push", 5, do_map_push, { ON_MAP, { "handle", ARG_HANDLE }, { "time", ARG_TIME } } },
	{ "consume", 4, do_map_consume, { ON_MAP, { "events", ARG_COUNT } } },
	{ "storm", 1, do_map_storm, { ON_MAP, { "seed", ARG_SEED } } },

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

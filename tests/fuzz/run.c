// SPDX-License-Identifier: GPL-2.0
/*
 * Running a program. Whatever the program has begun is ended after it, so that the
 * next program starts afresh.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "world.h"

bool run_show_results;

static void run_part(struct part *part)
{
	const struct call *call;
	long result;

	while (part->from < part->to) {
		call = &part->program->call[part->from++];
		result = call_types[call->type].run(call->arg);
		if (run_show_results)
			report_note("%s: %ld", call_types[call->type].name, result);
		/* KCOV traces the main thread only. */
		if (helper_is_main())
			cover_call(call->type, result);
	}
}

void run_init(void)
{
	alarm_init();
	memory_init();
	fail_init();
	world_init();
	helper_init(run_part);
}

static void clean_up(void)
{
	fail_nth = 0;
	uring_mode = 0;
	helper_join_all();
	do_map_stop_storm();
	alarm_set(false);
	do_map_unmap_all();
	world_close_all();
	syscall(SYS_setresuid, -1, 0, -1);
	world_reset();
}

void run_program(const struct program *program)
{
	struct part all = { .program = program, .to = program->count };

	memory_reset();
	cover_begin();
	helper_share(&all);
	alarm_set(true);
	run_part(&all);
	helper_share(NULL);
	clean_up();
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The suites of the test module, and their parameters. suites.c lists the suites for KUnit, as
 * old kernels allow only one such list in a module.
 */
#ifndef _TWHEEL_KUNIT_SUITES_H
#define _TWHEEL_KUNIT_SUITES_H

#include <kunit/test.h>

/*
 * KUNIT_ARRAY_PARAM() with a description of each parameter, printed from one value. @p is the
 * parameter.
 */
#define TEST_PARAM(name, array, format, value)				\
	static void name##_desc(typeof(&(array)[0]) p, char *desc)	\
	{								\
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, format, value);	\
	}								\
	KUNIT_ARRAY_PARAM(name, array, name##_desc)

extern struct kunit_suite twheel_audit_suite;
extern struct kunit_suite twheel_budget_suite;
extern struct kunit_suite twheel_deferred_suite;
extern struct kunit_suite twheel_extend_suite;
extern struct kunit_suite twheel_geometry_suite;
extern struct kunit_suite twheel_grid_suite;
extern struct kunit_suite twheel_horizon_suite;
extern struct kunit_suite twheel_levels_suite;
extern struct kunit_suite twheel_move_suite;
extern struct kunit_suite twheel_remove_suite;
extern struct kunit_suite twheel_time_suite;
extern struct kunit_suite twheel_window_suite;
extern struct kunit_suite twheel_worst_tick_suite;

extern struct kunit_suite twheel_api_suite;
extern struct kunit_suite twheel_context_suite;
extern struct kunit_suite twheel_due_suite;
extern struct kunit_suite twheel_misuse_suite;
extern struct kunit_suite twheel_periodic_suite;
extern struct kunit_suite twheel_place_suite;
extern struct kunit_suite twheel_port_suite;
extern struct kunit_suite twheel_process_suite;
extern struct kunit_suite twheel_slack_suite;

#endif /* _TWHEEL_KUNIT_SUITES_H */

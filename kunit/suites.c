// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the test module with all suites
 */
#include <linux/module.h>
#include "suites.h"

kunit_test_suites(&twheel_audit_suite,
		  &twheel_geometry_suite,
		  &twheel_time_suite,
		  &twheel_remove_suite,
		  &twheel_extend_suite,
		  &twheel_budget_suite,
		  &twheel_horizon_suite,
		  &twheel_levels_suite,
		  &twheel_move_suite,
		  &twheel_window_suite,
		  &twheel_grid_suite,
		  &twheel_deferred_suite,
		  &twheel_worst_tick_suite,
		  &twheel_api_suite,
		  &twheel_context_suite,
		  &twheel_due_suite,
		  &twheel_misuse_suite,
		  &twheel_slack_suite,
		  &twheel_periodic_suite,
		  &twheel_process_suite,
		  &twheel_place_suite,
		  &twheel_port_suite);

/* Not MODULE_IMPORT_NS(): its argument was a token in older kernels. This means the same in all. */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit suites of twheel");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/* From some allocation on, all fail while the module is loaded. */
#include "faults.h"
#include "harness.h"

TEST_TIMEOUT(load_fails_or_works_without_memory, 900)
{
	load_with_faults(true);
}

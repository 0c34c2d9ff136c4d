// SPDX-License-Identifier: GPL-2.0
/* While the module is loaded, an allocation and all that follow it fail. */
#include "faults.h"
#include "harness.h"

TEST_TIMEOUT(load_fails_or_works_without_memory, 900)
{
	load_with_faults(FAULT_ALL);
}

// SPDX-License-Identifier: GPL-2.0
/* While the module is loaded, each allocation fails in turn. */
#include "faults.h"
#include "harness.h"

TEST_TIMEOUT(load_fails_or_works, 900)
{
	load_with_faults(FAULT_ONE);
}

// SPDX-License-Identifier: GPL-2.0
/* Each allocation fails in turn while the module is loaded. */
#include "faults.h"
#include "harness.h"

TEST_TIMEOUT(load_fails_or_works, 900)
{
	load_with_faults(false);
}

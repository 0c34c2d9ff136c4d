// SPDX-License-Identifier: GPL-2.0
/* Does nothing. scripts/test-vm reads its parameter. */
#include <linux/module.h>

static int answer = 42;
module_param(answer, int, 0444);
MODULE_PARM_DESC(answer, "A number to read (default 42)");

MODULE_DESCRIPTION("Does nothing");
MODULE_LICENSE("GPL");

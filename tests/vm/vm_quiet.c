// SPDX-License-Identifier: GPL-2.0
/* A module that does nothing but have a parameter, for scripts/test-vm. */
#include <linux/module.h>

static int answer = 42;
module_param(answer, int, 0444);
MODULE_PARM_DESC(answer, "To be read back");

MODULE_DESCRIPTION("Does nothing");
MODULE_LICENSE("GPL");

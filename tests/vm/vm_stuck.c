// SPDX-License-Identifier: GPL-2.0
/* Holds a reference to itself and so cannot be unloaded. For scripts/test-vm. */
#include <linux/module.h>

static int __init vm_stuck_init(void)
{
	__module_get(THIS_MODULE);
	return 0;
}
module_init(vm_stuck_init);

static void __exit vm_stuck_exit(void)
{
}
module_exit(vm_stuck_exit);

MODULE_DESCRIPTION("Cannot be unloaded");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/* Prints a WARNING when it is loaded. For scripts/test-vm. */
#include <linux/bug.h>
#include <linux/module.h>

static int __init vm_warn_init(void)
{
	WARN(1, "vm_warn: as asked for\n");
	return 0;
}
module_init(vm_warn_init);

static void __exit vm_warn_exit(void)
{
}
module_exit(vm_warn_exit);

MODULE_DESCRIPTION("Warns when it is loaded");
MODULE_LICENSE("GPL");

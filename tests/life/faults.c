// SPDX-License-Identifier: GPL-2.0
/*
 * Load the module once for each allocation that loading makes, and let that
 * allocation fail: alone, or with all that follow. Loading succeeds or fails. If
 * it fails, it leaves nothing behind, and the module can be loaded later.
 *
 * The module's file is in memory, so that reading it does not fail. Allocations
 * that the kernel makes before it looks at the module's parameters are left out.
 */
#include <sys/syscall.h>

#include "device.h"
#include "inject.h"
#include "modules.h"

/* More faults than loading has, and how much their number varies. */
enum { MOST = 100000, VARIES = 5 };

/* Not a number: the module refuses it, and loading ends with EINVAL. */
#define BAD_PARAMETER "budget=bad"

static void *image;
static size_t image_size;

/*
 * Load the module with its @nth allocation failing. Returns 0 or a negative
 * errno. @left is what withdraw_fault() returns: 0 if the allocation failed.
 */
static int load_with_fault(const char *parameters, unsigned int nth,
			   unsigned int *left)
{
	int ret;

	inject_fault(nth);
	ret = syscall(SYS_init_module, image, image_size, parameters) ? -errno : 0;
	*left = withdraw_fault();
	return ret;
}

/*
 * The first fault that is of interest, a few before the kernel looks at the
 * module's parameters.
 */
static unsigned int first_fault(void)
{
	unsigned int left;

	ASSERT_EQ(load_with_fault(BAD_PARAMETER, MOST, &left), -EINVAL);
	ASSERT_GT(left, 0);
	return MOST - left > VARIES ? MOST - left - VARIES : 1;
}

/*
 * The kernel does without some allocations: the module is loaded then, perhaps
 * with no file in /dev.
 */
static void check_module_works(void)
{
	int fd = open(DEVICE, O_RDWR);

	if (fd < 0)
		return;
	add(fd, 0, 1);
	ASSERT_EQ(read_one(fd).cookie, 1);
	close(fd);
}

static void load_with_faults(enum fault_mode mode)
{
	unsigned int first, nth, left = 0, failed = 0, loaded = 0;
	int ret;

	image = module_image("twheel", &image_size);
	prepare_faults(mode);
	first = first_fault();
	for (nth = first; !left; nth++) {
		ASSERT_LT(nth, MOST);
		if (!((nth - first) % 64))
			note("fault %u", nth);
		ret = load_with_fault("", nth, &left);
		if (ret) {
			ASSERT_EQ(left, 0);
			if (ret != -ENOMEM && ret != -EFAULT)
				FAIL("fault %u: %s", nth, strerror(-ret));
			failed++;
		} else {
			check_module_works();
			unload("twheel");
			loaded += !left;
		}
		check_twheel_is_gone();
	}
	note("faults %u to %u: loading failed %u times, and did without the memory %u times",
	     first, nth - 2, failed, loaded);
	/* at least the engine of a CPU, the slab cache of timers, the device */
	ASSERT_GE(failed, 3);
	load("twheel", "");
	check_module_works();
	unload("twheel");
}

TEST_TIMEOUT(load_fails_or_works, 900)
{
	load_with_faults(FAULT_ONE);
}

TEST_TIMEOUT(load_fails_or_works_without_memory, 900)
{
	load_with_faults(FAULT_ALL);
}

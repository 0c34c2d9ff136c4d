// SPDX-License-Identifier: GPL-2.0
#include "faults.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "device.h"
#include "modules.h"

#define DEBUG "/sys/kernel/debug/"

/* More faults than there are; and how much their number varies. */
enum { MOST = 100000, VARIES = 5 };

/* Refused, as it is no number. */
#define BAD_PARAMETER "budget=bad"

static int fail_nth, make_it_fail;
static void *image;
static size_t image_size;

static void set_knob(const char *name, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), DEBUG "%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		skip("this kernel cannot inject such faults: no %s", path);
	ASSERT_EQ(CALL(write(fd, value, strlen(value))), strlen(value));
	close(fd);
}

static void set_knobs(const char *area, bool lasting)
{
	char name[64];

#define SET(knob, value)						\
	do {								\
		snprintf(name, sizeof(name), "%s/%s", area, knob);	\
		set_knob(name, value);					\
	} while (0)
	SET("verbose", "0");
	SET("ignore-gfp-wait", "N");
	SET("task-filter", "Y");
	SET("interval", "1");
	SET("times", "-1");
	SET("probability", lasting ? "100" : "0");
#undef SET
}

static void prepare(bool lasting)
{
	fail_nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		skip("this kernel cannot inject faults");
	make_it_fail = CALL(open("/proc/self/make-it-fail",
				 O_RDWR | O_CLOEXEC));
	set_knobs("failslab", lasting);
	set_knobs("fail_page_alloc", lasting);
	set_knob("fail_page_alloc/min-order", "0");
	set_knob("fail_page_alloc/ignore-gfp-highmem", "N");
	set_knob("fail_usercopy/verbose", "0");
	image = module_image("twheel", &image_size);
	/* Page faults would take the failures that are meant for the call. */
	CALL(mlockall(MCL_CURRENT | MCL_FUTURE));
}

/* Writing may itself meet the failure. */
static void clear(int fd)
{
	while (write(fd, "0", 1) != 1)
		ASSERT_EQ(errno, EFAULT);
}

/* Returns 0 or a negative errno, and how many were left to go to the failure. */
static int load_with_fault(const char *parameters, unsigned int nth,
			   bool lasting, unsigned int *left)
{
	char text[16] = "";
	int size = snprintf(text, sizeof(text), "%u", nth);
	int ret;

	if (lasting)
		ASSERT_EQ(CALL(write(make_it_fail, "1", 1)), 1);
	ASSERT_EQ(CALL(write(fail_nth, text, size)), size);
	ret = syscall(SYS_init_module, image, image_size, parameters) ? -errno : 0;
	/* The kernel prints how many are left, and then fails to copy it. */
	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0)
		strcpy(text, "1");
	clear(fail_nth);
	clear(make_it_fail);
	*left = atoi(text);
	return ret;
}

static unsigned int first_fault(void)
{
	unsigned int left;

	ASSERT_EQ(load_with_fault(BAD_PARAMETER, MOST, false, &left), -EINVAL);
	ASSERT_GT(left, 0);
	return MOST - left > VARIES ? MOST - left - VARIES : 1;
}

/*
 * Some of what fails the kernel does without: it loads the module, perhaps with
 * no file in /dev.
 */
static void check_it_works(void)
{
	int fd = open(DEVICE, O_RDWR);

	if (fd < 0)
		return;
	add(fd, 0, 1);
	ASSERT_EQ(read_one(fd).cookie, 1);
	close(fd);
}

void load_with_faults(bool lasting)
{
	unsigned int first, nth, left = 0, failed = 0, loaded = 0;
	int ret;

	prepare(lasting);
	first = first_fault();
	for (nth = first; !left; nth++) {
		ASSERT_LT(nth, MOST);
		ret = load_with_fault("", nth, lasting, &left);
		if (ret) {
			ASSERT_EQ(left, 0);
			/* EBUSY: misc_register() has found no number. */
			if (ret != -ENOMEM && ret != -EFAULT && ret != -EBUSY)
				FAIL("fault %u: %s", nth, strerror(-ret));
			failed++;
		} else {
			check_it_works();
			unload("twheel");
			loaded += !left;
		}
		check_twheel_is_gone();
	}
	note("faults %u to %u: not loaded %u times, loaded %u times all the same",
	     first, nth - 2, failed, loaded);
	/* the engine of a CPU, the cache of timers, the device */
	ASSERT_GE(failed, 3);
	load("twheel", "");
	check_it_works();
	unload("twheel");
}

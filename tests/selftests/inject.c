// SPDX-License-Identifier: GPL-2.0
#include "inject.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "parameter.h"

#define DEBUG "/sys/kernel/debug/"

static enum fault_mode chosen_mode;
static int fail_nth, make_it_fail;

static void set_knob(const char *area, const char *knob, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUG "%s/%s", area, knob);
	if (!write_file(path, value))
		skip("this kernel cannot inject such faults: %s: %s", path, strerror(errno));
}

static void set_knobs(const char *area, bool lasting)
{
	set_knob(area, "verbose", "0");
	set_knob(area, "ignore-gfp-wait", "N");
	set_knob(area, "task-filter", "Y");
	set_knob(area, "interval", "1");
	set_knob(area, "times", "-1");
	set_knob(area, "probability", lasting ? "100" : "0");
}

void prepare_faults(enum fault_mode mode)
{
	chosen_mode = mode;
	fail_nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		skip("this kernel cannot inject faults");
	make_it_fail = CALL(open("/proc/self/make-it-fail", O_RDWR | O_CLOEXEC));
	set_knobs("failslab", mode != FAULT_ONE);
	set_knob("failslab", "cache-filter", "N");
	set_knobs("fail_page_alloc", mode == FAULT_ALL);
	set_knob("fail_page_alloc", "min-order", "0");
	set_knob("fail_page_alloc", "ignore-gfp-highmem", "N");
	set_knob("fail_usercopy", "verbose", "0");
	/* Page faults would take the failures that are meant for the call. */
	CALL(mlockall(MCL_CURRENT | MCL_FUTURE));
}

void inject_fault(unsigned int nth)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "%u", nth);

	if (chosen_mode != FAULT_ONE && nth)
		ASSERT_EQ(CALL(write(make_it_fail, "1", 1)), 1);
	ASSERT_EQ(CALL(write(fail_nth, text, size)), size);
}

/* The write may itself meet the failure. */
static void clear(int fd)
{
	while (write(fd, "0", 1) != 1)
		ASSERT_EQ(errno, EFAULT);
}

unsigned int withdraw_fault(void)
{
	char text[16] = "";

	/* The read counts down too: its own copy to the program may be what fails. */
	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0) {
		ASSERT_EQ(errno, EFAULT);
		strcpy(text, "1");
	}
	clear(fail_nth);
	clear(make_it_fail);
	return atoi(text);
}

enum {
	MOST = 5000,		/* more than the faults of any call */
	ROUNDS = 3,		/* per fault: the kernel's allocations vary a little */
};

struct faults faults;

long withdraw(long result)
{
	const int error = result == -1 ? errno : 0;
	const bool injected = !withdraw_fault() && faults.nth;

	faults.was_injected |= injected;
	if (!error)
		return result;
	ASSERT(injected);
	ASSERT(error == ENOMEM || error == EFAULT);
	faults.has_failed = true;
	faults.had_no_memory |= error == ENOMEM;
	return -error;
}

bool next_fault(enum fault_mode mode)
{
	static bool under_way;

	if (!under_way) {
		prepare_faults(mode);
		faults = (struct faults){ 0 };
	}
	under_way = true;
	if (faults.round++ < (faults.nth ? ROUNDS : 1))
		return true;
	under_way = faults.was_injected || !faults.nth;
	faults.injected += faults.was_injected;
	faults.failed += faults.has_failed;
	faults.no_memory += faults.had_no_memory;
	faults.was_injected = false;
	faults.has_failed = false;
	faults.had_no_memory = false;
	if (!under_way) {
		note("%u faults: the call fails with %u, for lack of memory with %u",
		     faults.injected, faults.failed, faults.no_memory);
		return false;
	}
	ASSERT_LT(faults.nth, MOST);
	faults.nth++;
	faults.round = 1;
	return true;
}

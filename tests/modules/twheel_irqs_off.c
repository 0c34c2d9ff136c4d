// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how long twheel keeps interrupts off, for tests/harm.
 *
 * Probes on the kernel's tracepoints take the time from irq_disable to irq_enable. The stack
 * at irq_enable says whose time that was:
 *
 *   own     twheel turned interrupts on again; or an hrtimer callback of twheel ran
 *   called  a kernel function turned interrupts on again, and twheel had called it
 *   pages   the same, but the page allocator had been called in between. It fills and empties
 *           a CPU's list of pages with interrupts off, for a page fault as for twheel.
 *   other   all other times, such as those of interrupts
 *
 * The parameter "longest" has a line for each: the longest time in ns, and the stack with the
 * innermost function first. Writing anything to the parameter forgets what was measured.
 */
#include <linux/hrtimer.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/spinlock.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

/*
 * Shorter times are not looked at, because looking at the stack takes long. Until twheel's own
 * first time, all are looked at: so a time of 0 says that the module does not see twheel.
 */
#define SHORTEST_NS	1000

enum { FRAMES = 24, SHOWN = 8 };

enum kind { OWN, CALLED, PAGES, OTHER, KINDS };

static const char *const kinds[] = { "own", "called", "pages", "other" };

/* How the names of the page allocator's functions begin. */
static const char *const page_functions[] = {
	"get_page_from_freelist", "__free_frozen_pages", "free_unref_folios",
};

static DEFINE_RAW_SPINLOCK(longest_lock);

static struct longest {
	u64		ns;
	unsigned int	frames;
	unsigned long	stack[FRAMES];
} longest[KINDS];

struct cpu_times {
	u64	off;		/* when interrupts went off, or 0 */
	u64	hrtimer;	/* when an hrtimer callback of twheel began, or 0 */
};

static DEFINE_PER_CPU(struct cpu_times, times);

static bool is_page_function(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(page_functions); i++)
		if (strstarts(name, page_functions[i]))
			return true;
	return false;
}

static bool is_twheel(const char *name)
{
	return strstr(name, "[twheel]");
}

/* Behind these on the stack is what was interrupted. */
static bool is_interrupt(const char *name)
{
	return strstarts(name, "asm_") || strstarts(name, "handle_softirqs");
}

/* @stack begins with the function that turned interrupts on. */
static enum kind kind_of(const unsigned long *stack, unsigned int frames)
{
	const unsigned int own = in_lock_functions(stack[0]) ? 1 : 0;
	char name[KSYM_SYMBOL_LEN];
	bool pages = false;
	unsigned int i;

	for (i = 0; i < frames; i++) {
		snprintf(name, sizeof(name), "%ps", (void *)stack[i]);
		if (is_interrupt(name))
			break;
		if (is_twheel(name))
			return pages ? PAGES : i <= own ? OWN : CALLED;
		pages |= is_page_function(name);
	}
	return OTHER;
}

static void note(enum kind kind, u64 ns, const unsigned long *stack, unsigned int frames)
{
	struct longest *l = &longest[kind];

	raw_spin_lock(&longest_lock);
	if (ns > l->ns) {
		l->ns = ns;
		l->frames = frames;
		memcpy(l->stack, stack, frames * sizeof(*stack));
	}
	raw_spin_unlock(&longest_lock);
}

/* Whether a time is longer than the longest one of some kind, or twheel has not been seen. */
static bool is_long(u64 ns)
{
	unsigned int kind;

	if (!READ_ONCE(longest[OWN].ns))
		return true;
	for (kind = 0; kind < KINDS; kind++)
		if (ns > max_t(u64, SHORTEST_NS, READ_ONCE(longest[kind].ns)))
			return true;
	return false;
}

static void irqs_went_off(void *data, unsigned long ip, unsigned long parent)
{
	this_cpu_write(times.off, local_clock());
}

static void irqs_go_on(void *data, unsigned long ip, unsigned long parent)
{
	const u64 off = this_cpu_read(times.off), ns = local_clock() - off;
	unsigned long stack[FRAMES];
	unsigned int frames, first;

	this_cpu_write(times.off, 0);
	if (!off || !is_long(ns))
		return;
	frames = stack_trace_save(stack, FRAMES, 0);
	for (first = 0; first < frames && stack[first] != ip; first++)
		;
	if (first == frames)
		return;
	note(kind_of(stack + first, frames - first), ns, stack + first, frames - first);
}

/* Kernels with many hrtimers have few callbacks: remember the last one that is not twheel's. */
static void hrtimer_begins(void *data, struct hrtimer *hrtimer, ktime_t now)
{
	static void *foreign;
	void *function = ACCESS_PRIVATE(hrtimer, function);
	char name[KSYM_SYMBOL_LEN];

	if (!irqs_disabled() || function == READ_ONCE(foreign))
		return;
	snprintf(name, sizeof(name), "%ps", function);
	if (is_twheel(name))
		this_cpu_write(times.hrtimer, local_clock());
	else
		WRITE_ONCE(foreign, function);
}

static void hrtimer_has_ended(void *data, struct hrtimer *hrtimer)
{
	const u64 began = this_cpu_read(times.hrtimer);
	unsigned long stack = (unsigned long)ACCESS_PRIVATE(hrtimer, function);

	this_cpu_write(times.hrtimer, 0);
	if (began)
		note(OWN, local_clock() - began, &stack, 1);
}

static int longest_get(char *buffer, const struct kernel_param *param)
{
	unsigned int kind, i;
	struct longest l;
	int length = 0;

	for (kind = 0; kind < KINDS; kind++) {
		raw_spin_lock_irq(&longest_lock);
		l = longest[kind];
		raw_spin_unlock_irq(&longest_lock);
		length += sysfs_emit_at(buffer, length, "%s %llu", kinds[kind], l.ns);
		for (i = 0; i < l.frames && i < SHOWN; i++)
			length += sysfs_emit_at(buffer, length, " %ps", (void *)l.stack[i]);
		length += sysfs_emit_at(buffer, length, "\n");
	}
	return length;
}

static int longest_set(const char *value, const struct kernel_param *param)
{
	raw_spin_lock_irq(&longest_lock);
	memset(longest, 0, sizeof(longest));
	raw_spin_unlock_irq(&longest_lock);
	return 0;
}

static const struct kernel_param_ops longest_ops = { .set = longest_set, .get = longest_get };
module_param_cb(longest, &longest_ops, NULL, 0600);
MODULE_PARM_DESC(longest, "The longest times; write anything to begin anew");

static struct probe {
	const char		*name;
	void			*function;
	struct tracepoint	*tracepoint;
} probes[] = {
	{ "irq_enable", irqs_go_on },
	{ "irq_disable", irqs_went_off },
	{ "hrtimer_expire_entry", hrtimer_begins },
	{ "hrtimer_expire_exit", hrtimer_has_ended },
};

static void find(struct tracepoint *tracepoint, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tracepoint->name, probes[i].name))
			probes[i].tracepoint = tracepoint;
}

static void unregister(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].tracepoint)
			tracepoint_probe_unregister(probes[i].tracepoint, probes[i].function,
						    NULL);
	tracepoint_synchronize_unregister();
}

static int __init irqs_off_init(void)
{
	unsigned int i;
	int ret;

	for_each_kernel_tracepoint(find, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		ret = probes[i].tracepoint ?
		      tracepoint_probe_register(probes[i].tracepoint, probes[i].function, NULL) :
		      -ENOENT;
		if (ret) {
			unregister();
			return ret;
		}
	}
	return 0;
}
module_init(irqs_off_init);
module_exit(unregister);

MODULE_DESCRIPTION("Measures how long twheel keeps interrupts off");
MODULE_LICENSE("GPL");

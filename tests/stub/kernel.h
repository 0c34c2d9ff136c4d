/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the kernel's headers that the wheel, the engine and the device's batches use,
 * for a program: tests/explore and bench/native.
 *
 * The compiler includes this file first (-include), and the Makefile makes an empty file for each
 * of the kernel's headers. Atomic operations, locks and per-CPU variables are real. A thread is
 * a CPU: see native_become_cpu(). Tick sources only note when they would fire; a benchmark that
 * uses the engine calls them. What is compiled out in a kernel without debugging is empty. What
 * macros here only drop is not defined, such as GFP_KERNEL_ACCOUNT. The program's memory is at
 * hand, so copies do not fail.
 */
#ifndef _STUB_KERNEL_H
#define _STUB_KERNEL_H

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* Other threads may read and write the same. */
#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))

#include "../../lib/loop/kernel_base.h"

typedef uint16_t u16;
typedef s64 ktime_t;

#define S64_MIN			(-S64_MAX - 1)
#define HZ			1000
#define TICK_NSEC		1000000LL
#define NSEC_PER_USEC		1000L
#define NR_CPUS			2
#define nr_cpu_ids		NR_CPUS

/* What Kbuild finds in the newest kernel: twheel_compat.h adds nothing. */
#define TWHEEL_HAVE_TIMER_SHUTDOWN
#define TWHEEL_HAVE_HRTIMER_SETUP
#define TWHEEL_HAVE_WQ_PERCPU
#define TWHEEL_HAVE_VM_FLAGS_SET

/* Compiler */
#define __acquires(x)
#define __releases(x)
#define __must_hold(x)
#define __percpu
#define __user
#define __aligned(n)		__attribute__((aligned(n)))
#define static_assert		_Static_assert
#define IS_ENABLED(option)	0
#define prefetchw(p)		__builtin_prefetch(p, 1)

/* Modules */
#define EXPORT_SYMBOL(symbol)
#define module_param(name, type, mode)
#define MODULE_PARM_DESC(name, text)
#define POISON_POINTER_DELTA	0

/* Warnings: a benchmark that runs into one is wrong. */
#define WARN(condition, ...)	({ bool __w = (condition); if (unlikely(__w)) abort(); __w; })
#define WARN_ONCE(condition, ...) WARN(condition)
#define WARN_ON_ONCE(condition)	WARN(condition)
#define might_sleep()		do { } while (0)

/* Arithmetic */
#define swap(a, b)		({ typeof(a) _e = (a); (a) = (b); (b) = _e; })
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define div_u64(n, d)		((u64)(n) / (d))
#define check_add_overflow(a, b, d) __builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d) __builtin_sub_overflow(a, b, d)
#define roundup_pow_of_two(n)	(1U << (32 - __builtin_clz((n) - 1)))
#define array_size(n, size)	((n) * (size))
#define array_index_nospec(i, size) ((i) & (0U - ((i) < (size))))

/* Aligned pointers */
#define PTR_ALIGN_DOWN(p, size)	((typeof(p))((unsigned long)(p) & ~((unsigned long)(size) - 1)))

/* Bits */
#define __ffs(word)		((unsigned int)__builtin_ctzl(word))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(high, low)	((~0ULL >> (63 - (high))) & (~0ULL << (low)))
#define __ffs64(word)		((unsigned int)__builtin_ctzll(word))
#define hweight64(word)		((unsigned int)__builtin_popcountll(word))

#define for_each_clear_bit(i, map, size) \
	for ((i) = 0; (i) < (size); (i)++) \
		if (!test_bit(i, map))

/* Lists */
#define list_empty_careful(list) list_empty(list)

static inline void list_move_tail(struct list_head *entry, struct list_head *list)
{
	__list_del(entry->prev, entry->next);
	list_add_tail(entry, list);
}

#define list_add(entry, list)	list_add_tail(entry, (list)->next)
#define list_for_each_entry(t, list, member) \
	for ((t) = list_first_entry(list, typeof(*(t)), member); &(t)->member != (list); \
	     (t) = list_first_entry(&(t)->member, typeof(*(t)), member))

/* Atomic operations, with x86's order of memory accesses */
typedef struct { s64 counter; } atomic64_t;
typedef struct { int counter; } atomic_t;
typedef atomic_t refcount_t;

#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic64_read(v)	READ_ONCE((v)->counter)
#define atomic64_set(v, i)	WRITE_ONCE((v)->counter, (s64)(i))
#define atomic_inc(v)		((void)__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_dec(v)		((void)__atomic_sub_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic64_try_cmpxchg(v, old, new) \
	__atomic_compare_exchange_n(&(v)->counter, old, (s64)(new), false, \
				    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)
#define atomic64_try_cmpxchg_release(v, old, new) \
	__atomic_compare_exchange_n(&(v)->counter, old, (s64)(new), false, \
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define atomic64_try_cmpxchg_relaxed	atomic64_try_cmpxchg_release
#define xchg(p, new)			__atomic_exchange_n(p, new, __ATOMIC_SEQ_CST)
#define cmpxchg(p, old, new) ({ \
	typeof(*(p)) __old = (old); \
	__atomic_compare_exchange_n(p, &__old, new, false, \
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	__old; })
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_rmb()		asm volatile("" ::: "memory")
#define cpu_relax()		__builtin_ia32_pause()

/* Per-CPU variables: each CPU but the first has a copy of the section. */
extern __thread unsigned int native_cpu;
extern __thread long native_offset;
extern long native_offsets[NR_CPUS];
extern char __start_percpu[], __stop_percpu[];

#define DECLARE_PER_CPU(type, name) extern __attribute__((section("percpu"))) typeof(type) name
#define DEFINE_PER_CPU(type, name) __attribute__((section("percpu"))) typeof(type) name
#define native_shift(p, offset)	((typeof(p))((char *)(p) + (offset)))
#define per_cpu_ptr(p, cpu)	native_shift(p, native_offsets[cpu])
#define per_cpu(name, cpu)	(*per_cpu_ptr(&(name), cpu))
#define this_cpu_ptr(p)		native_shift(p, native_offset)
#define raw_cpu_ptr(p)		this_cpu_ptr(p)
#define raw_cpu_read(name)	(*this_cpu_ptr(&(name)))
/* One instruction without a lock prefix, as in the kernel. */
#define this_cpu_inc(name)	({ asm volatile("incq %0" : "+m" (*this_cpu_ptr(&(name)))); })
#define smp_processor_id()	native_cpu
#define raw_smp_processor_id()	native_cpu

#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < NR_CPUS; (cpu)++)
#define cpu_active_mask		0
#define cpumask_any(mask)	((unsigned int)(mask))
#define cpumask_any_and(a, b)	((unsigned int)((a) & (b)))
#define housekeeping_cpumask(type) 0
#define cpu_possible(cpu)	((cpu) < NR_CPUS)
#define housekeeping_test_cpu(cpu, type) true
#define housekeeping_any_cpu(type) 0

/*
 * Interrupt flags. A program can execute pushf and popf, but not cli and sti. So popf, which
 * took 24.6 cycles where it was measured (D. Vlasenko, linux-kernel, 2016-08-17), stands for
 * the kernel's pair of cli and sti.
 */
#define local_irq_save(flags) \
	asm volatile("pushfq; popq %0" : "=rm" (flags) : : "memory")
#define local_irq_restore(flags) \
	asm volatile("pushq %0; popfq" : : "g" (flags) : "memory", "cc")
#define local_irq_enable() \
	do { unsigned long __f; local_irq_save(__f); local_irq_restore(__f); } while (0)

/* Locks: an exchange takes one, a plain store releases it. */
typedef struct { u32 locked; } raw_spinlock_t;
typedef raw_spinlock_t spinlock_t;

static inline void raw_spin_lock_init(raw_spinlock_t *lock)
{
	lock->locked = 0;
}

static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	unsigned int tries = 0;

	while (cmpxchg(&lock->locked, 0, 1))
		while (READ_ONCE(lock->locked)) {
			cpu_relax();
			/* The host may have taken the core from the holder. */
			if (++tries % 4096 == 0)
				sched_yield();
		}
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	smp_store_release(&lock->locked, 0);
}

#define raw_spin_lock_nested(lock, depth) raw_spin_lock(lock)
#define raw_spin_unlock_irqrestore(lock, flags) \
	do { raw_spin_unlock(lock); local_irq_restore(flags); } while (0)
#define raw_spin_lock_irq(lock)	raw_spin_lock(lock)
#define raw_spin_unlock_irq(lock) \
	do { raw_spin_unlock(lock); local_irq_enable(); } while (0)
#define spin_lock_init(lock)	raw_spin_lock_init(lock)
#define spin_lock(lock)		raw_spin_lock(lock)
#define spin_unlock(lock)	raw_spin_unlock(lock)
#define spin_unlock_bh(lock)	raw_spin_unlock(lock)
#define spin_lock_bh(lock)	raw_spin_lock(lock)
#define local_bh_disable()	do { } while (0)
#define local_bh_enable()	do { } while (0)
#define lockdep_assert_held(lock) ((void)(lock))
#define lockdep_assert_irqs_disabled() do { } while (0)
#define lockdep_assert_preemption_enabled() do { } while (0)
struct lock_class_key { int unused; };
struct lockdep_map { };
#define lockdep_init_map(map, name, key, subclass) ((void)(name), (void)(key))
#define debug_object_init(t, descr) do { } while (0)
#define debug_object_init_on_stack(t, descr) do { } while (0)
#define debug_object_activate(t, descr) do { } while (0)
#define debug_object_deactivate(t, descr) do { } while (0)
#define debug_object_free(t, descr) do { } while (0)
#define debug_object_assert_init(t, descr) do { } while (0)
#define lock_map_acquire(map)	do { } while (0)
#define lock_map_release(map)	do { } while (0)

/* Tasks */
struct task_struct { struct { u64 sum_exec_runtime; } se; int prio; unsigned int flags; };
extern __thread struct task_struct native_task;
extern __thread int native_preempt_count;
#define current			(&native_task)
#define preempt_count()		READ_ONCE(native_preempt_count)
#define preempt_count_set(c)	WRITE_ONCE(native_preempt_count, c)
#define in_hardirq()		false
#define in_serving_softirq()	true
#define fatal_signal_pending(task) false
#define task_sigpending(task)	false
#define PF_KTHREAD		0x00200000
#define need_resched()		false
#define cond_resched()		do { } while (0)
#define schedule()		do { } while (0)
#define wake_up_process(task)	((void)(task))

/* Time */
extern u64 jiffies_64;
#define get_jiffies_64()	READ_ONCE(jiffies_64)
#define time_after64(a, b)	((s64)((b) - (a)) < 0)
#define ktime_get()		((ktime_t)get_jiffies_64() * TICK_NSEC)
#define ktime_mono_to_any(time, offset) (time)
#define ns_to_ktime(ns)		((ktime_t)(ns))
/* Stands still: no run ends because of its time. */
#define local_clock()		0ULL

/* Tracepoints, off */
#define PARAMS(...)		__VA_ARGS__
#define TP_PROTO(...)		__VA_ARGS__
#define DECLARE_EVENT_CLASS(name, proto, args, structure, assign, print)
#define DEFINE_EVENT(template, name, proto, args) \
	static inline void trace_##name(PARAMS(proto)) { }
#define TRACE_EVENT(name, proto, args, structure, assign, print) \
	static inline void trace_##name(PARAMS(proto)) { }

/* Tick sources note when they would fire. */
struct timer_list {
	unsigned long	expires;
	bool		pending;
	void		(*function)(struct timer_list *timer);
};

#define timer_setup(t, fn, flags) ((t)->function = (fn), (t)->pending = false)
#define timer_delete(t)		((t)->pending = false)
#define timer_delete_sync(t)	timer_delete(t)
#define mod_timer(t, e)		((t)->expires = (e), (t)->pending = true)
#define add_timer_on(t, cpu)	((t)->pending = true)

enum hrtimer_restart { HRTIMER_NORESTART };
enum hrtimer_mode { HRTIMER_MODE_REL_PINNED_SOFT };

struct hrtimer {
	ktime_t			expires;
	bool			pending;
	enum hrtimer_restart	(*function)(struct hrtimer *timer);
};

#define hrtimer_setup(t, fn, clock, mode) ((t)->function = (fn), (t)->pending = false)
#define hrtimer_is_queued(t)	((t)->pending)
#define hrtimer_try_to_cancel(t) ((t)->pending = false)
#define hrtimer_cancel(t)	((t)->pending = false)
#define hrtimer_start_range_ns(t, time, range, mode) \
	((t)->expires = ktime_get() + (time), (t)->pending = true)

/* Threads, workqueues and CPUs. Timers of the benchmarks never need process context. */
typedef struct { int unused; } wait_queue_head_t;
typedef struct { int unused; } wait_queue_entry_t;
typedef unsigned int __poll_t;
typedef struct poll_table_struct poll_table;
struct work_struct { void (*func)(struct work_struct *work); };
struct workqueue_struct { int unused; };
struct smp_hotplug_thread {
	struct task_struct	**store;
	void			(*setup)(unsigned int cpu);
	int			(*thread_should_run)(unsigned int cpu);
	void			(*thread_fn)(unsigned int cpu);
	const char		*thread_comm;
};

extern struct smp_hotplug_thread *native_thread;
#define smpboot_register_percpu_thread(t) (native_thread = native_thread ?: (t), 0)
#define smpboot_unregister_percpu_thread(t) do { } while (0)
#define alloc_workqueue(name, flags, max) ((struct workqueue_struct *)1)
#define destroy_workqueue(wq)	do { } while (0)
#define queue_work_on(cpu, wq, work) abort()
#define INIT_WORK(work, f)	((work)->func = (f))
#define DEFINE_WAIT(name)	int name = 0
#define prepare_to_wait(q, wait, state) ((void)(wait))
#define finish_wait(q, wait)	((void)(wait))
#define init_waitqueue_head(q)	do { } while (0)
#define waitqueue_active(q)	false
#define wq_has_sleeper(q)	false
#define wake_up_all(q)		do { } while (0)

enum cpuhp_state { CPUHP_AP_ONLINE_DYN };
int cpuhp_setup_state(enum cpuhp_state state, const char *name,
		      int (*online)(unsigned int), int (*offline)(unsigned int));
#define cpuhp_remove_state_nocalls(state) ((void)(state))

/* Trees */
struct rb_node { struct rb_node *rb_left, *rb_right; };
struct rb_root { struct rb_node *rb_node; };
struct timerqueue_node { ktime_t expires; };
struct timerqueue_head { struct rb_root rb_root; };
#define rb_entry(node, type, member) container_of(node, type, member)
void rb_add(struct rb_node *node, struct rb_root *tree,
	    bool (*less)(struct rb_node *, const struct rb_node *));
void rb_erase(struct rb_node *node, struct rb_root *tree);
struct rb_node *rb_find(const void *key, const struct rb_root *tree,
			int (*compare)(const void *, const struct rb_node *));

/* Memory */
#define GFP_KERNEL		0
#define SMP_CACHE_BYTES		64
#define PAGE_SHIFT		12
#define PAGE_ALIGN(size)	(((size) + (1UL << PAGE_SHIFT) - 1) & ~((1UL << PAGE_SHIFT) - 1))
#define offset_in_page(p)	((unsigned long)(p) & ((1UL << PAGE_SHIFT) - 1))
#define page_address(page)	((void *)(page))
struct page;
struct rcu_head { void (*func)(struct rcu_head *head); };
#define kzalloc(size, gfp)	calloc(1, size)
#define kvcalloc(n, size, gfp)	calloc(n, size)
#define __vmalloc(size, gfp)	calloc(1, size)
#define kvzalloc_node(size, gfp, node) native_zalloc(size)
#define kfree(p)		free(p)
#define kvfree(p)		free(p)
void *native_zalloc(size_t size);
struct kmem_cache { size_t size, align; };
#define kmem_cache_create(name, bytes, alignment, flags, ctor) \
	memcpy(malloc(sizeof(struct kmem_cache)), \
	       &(struct kmem_cache){ .size = bytes, .align = alignment }, sizeof(struct kmem_cache))
#define kmem_cache_destroy(cache) free(cache)
#define kmem_cache_free(cache, p) free(p)
#define kmem_cache_alloc(cache, gfp) kmem_cache_zalloc(cache, gfp)
#define kmem_cache_zalloc(cache, gfp) native_zalloc_object(cache)
void *native_zalloc_object(struct kmem_cache *cache);
#define copy_to_user(to, from, n) (memcpy(to, from, n), 0UL)
#define put_user(value, to) (*(to) = (value), 0)
#define IS_ALIGNED(x, a) (((x) & ((a) - 1)) == 0)
#define pagefault_disable() do { } while (0)
#define pagefault_enable() do { } while (0)
#define copy_to_user_nofault(to, from, n) (memcpy(to, from, n), 0L)

/* Sets up the per-CPU variables. */
void native_init(void);
/* Lets a CPU take part, once the engine is set up. */
void native_online(unsigned int cpu);
void native_become_cpu(unsigned int cpu);
/* Runs what is due on this CPU at the tick in jiffies_64, as the tick's softirq would. */
void native_softirq(void);

/* twheel_compat.h and device/calls.h want types of these kinds to exist. */
struct vm_area_struct;
typedef void *fl_owner_t;

#endif /* _STUB_KERNEL_H */

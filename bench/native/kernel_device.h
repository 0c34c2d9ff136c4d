/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the kernel's headers that the device's batches use, besides those in kernel.h
 *
 * The program's memory is at hand, so copies do not fail.
 */
#ifndef _NATIVE_KERNEL_DEVICE_H
#define _NATIVE_KERNEL_DEVICE_H

/* Compiler */
#define __aligned(n)		__attribute__((aligned(n)))
#define __percpu
#define __user
#define raw_cpu_ptr(p)		this_cpu_ptr(p)

/* Arithmetic */
#define S64_MIN			(-S64_MAX - 1)
#define NSEC_PER_SEC		1000000000L
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define check_sub_overflow(a, b, d) __builtin_sub_overflow(a, b, d)
#define roundup_pow_of_two(n)	(1U << (32 - __builtin_clz((n) - 1)))
#define array_index_nospec(i, size) ((i) & (0U - ((i) < (size))))

/* Bits */
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(high, low)	((~0ULL >> (63 - (high))) & (~0ULL << (low)))
#define __ffs64(word)		((unsigned int)__builtin_ctzll(word))
#define hweight64(word)		((unsigned int)__builtin_popcountll(word))

/* Pointers that are errors, and aligned ones */
#define ERR_PTR(error)		((void *)(long)(error))
#define PTR_ERR(p)		((long)(p))
#define IS_ERR(p)		((unsigned long)(p) > -4096UL)
#define PTR_ERR_OR_ZERO(p)	((int)(IS_ERR(p) ? PTR_ERR(p) : 0))
#define PTR_ALIGN_DOWN(p, size)	((typeof(p))((unsigned long)(p) & ~((unsigned long)(size) - 1)))

/* Memory */
#define PAGE_SHIFT		12
#define PAGE_ALIGN(size)	(((size) + (1UL << PAGE_SHIFT) - 1) & ~((1UL << PAGE_SHIFT) - 1))
#define offset_in_page(p)	((unsigned long)(p) & ((1UL << PAGE_SHIFT) - 1))
#define page_address(page)	((void *)(page))
#define GFP_KERNEL_ACCOUNT	0
#define __GFP_ZERO		0
#define SLAB_ACCOUNT		0
#define SMP_CACHE_BYTES		64
struct page;
struct rb_node { struct rb_node *rb_left, *rb_right; };
struct rcu_head { void (*func)(struct rcu_head *head); };
#define kzalloc(size, gfp)	calloc(1, size)
#define kvcalloc(n, size, gfp)	calloc(n, size)
#define kvfree(p)		free(p)
#define __vmalloc(size, gfp)	calloc(1, size)
#define kfree(p)		free(p)
struct kmem_cache { size_t size, align; };
#define kmem_cache_create(name, bytes, alignment, flags, ctor) \
	memcpy(malloc(sizeof(struct kmem_cache)), \
	       &(struct kmem_cache){ .size = bytes, .align = alignment }, sizeof(struct kmem_cache))
#define kmem_cache_destroy(cache) free(cache)
#define kmem_cache_free(cache, p) free(p)
#define kmem_cache_alloc(cache, gfp) kmem_cache_zalloc(cache, gfp)
#define kmem_cache_zalloc(cache, gfp) native_zalloc_object(cache)
void *native_zalloc_object(struct kmem_cache *cache);
#define array_size(n, size)	((n) * (size))
#define copy_to_user(to, from, n) (memcpy(to, from, n), 0UL)
#define pagefault_disable()	do { } while (0)
#define pagefault_enable()	do { } while (0)

/* Locks, tasks and time */
#define spin_trylock(lock)	(!cmpxchg(&(lock)->locked, 0, 1))
#define spin_is_contended(lock)	false
#define might_lock(lock)	do { } while (0)
#define wake_up_interruptible(q) do { } while (0)
#define fatal_signal_pending(task) false
#define task_sigpending(task)	false
#define in_task()		true
#define MAX_RT_PRIO		100
#define PF_KTHREAD		0x00200000
#define ktime_get_real_ns()	0
#define ktime_mono_to_any(time, offset) (time)
typedef atomic_t refcount_t;
struct rb_root { struct rb_node *rb_node; };
#define rb_entry(node, type, member) container_of(node, type, member)
void rb_add(struct rb_node *node, struct rb_root *tree,
	    bool (*less)(struct rb_node *, const struct rb_node *));
void rb_erase(struct rb_node *node, struct rb_root *tree);
struct rb_node *rb_find(const void *key, const struct rb_root *tree,
			int (*compare)(const void *, const struct rb_node *));
struct rb_root_cached { struct rb_root rb_root; };

/* List */
#define list_add(entry, list)	list_add_tail(entry, (list)->next)
#define list_del(entry)		__list_del((entry)->prev, (entry)->next)

#endif /* _NATIVE_KERNEL_DEVICE_H */

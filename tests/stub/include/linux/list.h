/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_LIST_H
#define _STUB_LINUX_LIST_H

#include <linux/types.h>

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void list_add_tail(struct list_head *entry, struct list_head *list)
{
	entry->next = list;
	entry->prev = list->prev;
	list->prev->next = entry;
	list->prev = entry;
}

static inline void __list_del(struct list_head *prev, struct list_head *next)
{
	next->prev = prev;
	prev->next = next;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline void list_splice_tail_init(struct list_head *from, struct list_head *to)
{
	if (list_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	INIT_LIST_HEAD(from);
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_first_entry(list, type, member) list_entry((list)->next, type, member)
#define list_for_each_entry(pos, list, member)				\
	for (pos = list_entry((list)->next, __typeof__(*pos), member);	\
	     &pos->member != (list);					\
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))

#endif /* _STUB_LINUX_LIST_H */

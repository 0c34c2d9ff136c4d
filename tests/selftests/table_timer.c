// SPDX-License-Identifier: GPL-2.0
#include "table_timer.h"

struct twheel_word *map_words(int fd, unsigned int words)
{
	struct twheel_word *table = mmap(NULL, words * sizeof(*table),
					 PROT_READ | PROT_WRITE, MAP_SHARED, fd,
					 TWHEEL_MMAP_TABLE);

	if (table == MAP_FAILED && errno == EOPNOTSUPP &&
	    !(get_info(fd).features & TWHEEL_FEATURE_TABLE))
		skip("a 32-bit kernel has no table");
	if (table == MAP_FAILED)
		FAIL("mmap: %s", strerror(errno));
	return table;
}

struct twheel_word *map_table(int fd)
{
	return map_words(fd, words_of_a_page());
}

unsigned int words_of_a_page(void)
{
	return page_size() / sizeof(struct twheel_word);
}

struct twheel_op shared_op(__u64 deadline, __u64 cookie)
{
	struct twheel_op op = new_timer_at(deadline, cookie);

	op.flags |= TWHEEL_SHARED;
	return op;
}

__u64 add_shared(int fd, __u64 deadline, __u64 cookie)
{
	return arm(fd, shared_op(deadline, cookie));
}

__u64 *word_at(struct twheel_word *table, unsigned int entry)
{
	return (__u64 *)&table[entry].deadline;
}

__u64 *word_of(struct twheel_word *table, __u64 handle)
{
	return word_at(table, TWHEEL_INDEX(handle));
}

__u64 read_word(const __u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

void write_word(__u64 *word, __u64 deadline)
{
	__atomic_store_n(word, deadline, __ATOMIC_SEQ_CST);
}

bool push_word(__u64 *word, __u64 *seen, __u64 later)
{
	if (*seen & CLOSED)
		return false;
	return __atomic_compare_exchange_n(word, seen, later, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool push_alone(__u64 *word, __u64 later)
{
	__u64 seen = read_word(word);

	return push_word(word, &seen, later);
}

struct table_timer new_table_timer(__u64 delay_ns)
{
	struct table_timer t = { .fd = open_device(O_NONBLOCK) };

	t.table = map_table(t.fd);
	t.deadline = now() + delay_ns;
	t.handle = add_shared(t.fd, t.deadline, 1);
	t.word = word_of(t.table, t.handle);
	return t;
}

void close_table_timer(const struct table_timer *t)
{
	CALL(munmap(t->table, page_size()));
	CALL(close(t->fd));
}

static unsigned int leads = 1;

__u64 lead_time(void)
{
	return leads * margin_ns();
}

struct table_timer soon_timer(void)
{
	return new_table_timer(lead_time());
}

bool came_too_soon(const struct table_timer *t)
{
	if (in_time(t->deadline))
		return false;
	close_table_timer(t);
	leads *= 2;
	return true;
}

struct table_timer pushed_timer(__u64 by_ns)
{
	struct table_timer t;
	bool pushed;

	do {
		t = soon_timer();
		pushed = push_alone(t.word, by_ns < LATEST - t.deadline ?
				    t.deadline + by_ns : LATEST);
	} while (came_too_soon(&t));
	ASSERT(pushed);
	return t;
}

void check_expiry(const struct table_timer *t, __u64 deadline)
{
	expect_expiry(t->fd, t->handle, deadline);
}

void check_closed(const __u64 *word)
{
	ASSERT(read_word(word) & CLOSED);
}

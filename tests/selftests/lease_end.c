// SPDX-License-Identifier: GPL-2.0
/* Leases: what ends one, and what becomes of it when the owner uses the timer. */
#include "event_ring.h"
#include "holder.h"
#include "one_epoll.h"
#include "user.h"

NONBLOCK_TEST(expiry_ends_the_lease_before_the_event_is_read)
{
	__u64 handle;
	const int lease = lease_of_new_timer(fd, &handle, ON_CLOSE);

	ASSERT_EQ(change(fd, handle, ticks(2)), 0);
	wait_for_end(lease);
	check_ended(lease);
	ASSERT_EQ(leases_of(fd), 0);
	ASSERT(!is_leased(fd, handle));
	close(lease);
	ASSERT(read_one(fd).handle == handle);	/* which checks that no flag is set */
	check_no_event(fd);
}

DEVICE_TEST(cancel_group_ends_the_leases)
{
	enum { MEMBERS = 100 };
	int leases[MEMBERS], i;
	__u64 retracted;

	for (i = 0; i < MEMBERS; i++)
		leases[i] = new_lease(fd, add_to_group(fd, LONG, 9, i), LONG, ON_CLOSE);
	ASSERT_EQ(leases_of(fd), MEMBERS);
	ASSERT_EQ(cancel_group(fd, 9, &retracted), MEMBERS);
	ASSERT_EQ(leases_of(fd), 0);
	for (i = 0; i < MEMBERS; i++) {
		check_ended(leases[i]);
		close(leases[i]);
	}
	check_no_event(fd);
}

DEVICE_TEST(drain_ends_the_lease_and_restore_makes_none)
{
	struct twheel_op op;
	__u64 handle;
	const int lease = lease_of_new_timer(fd, &handle, ON_CLOSE);

	ASSERT_EQ(push(lease), 0);
	ASSERT_EQ(drain(fd, &op, 1), 1);
	check_ended(lease);
	ASSERT_EQ(op.flags, TWHEEL_RESTORE | TWHEEL_LEASED);
	ASSERT(op.handle == handle);
	resume(fd);
	op.op = 0;
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_ADD, &op)), 0);
	ASSERT(!is_leased(fd, op.handle));
	check_ended(lease);
	new_lease(fd, op.handle, LONG, 0);
}

DEVICE_TEST(stopped_set_gives_out_leases)
{
	struct twheel_op op;
	const __u64 handle = add(fd, 0, 1);
	int lease;

	wait_until_expired(fd, handle);
	ASSERT_EQ(drain(fd, &op, 1), 0);
	ASSERT_EQ(change(fd, handle, LONG), TWHEEL_RETRACTED);
	lease = new_lease(fd, handle, LONG, ON_CLOSE);
	ASSERT_EQ(push(lease), 0);
	close(lease);
	ASSERT(read_closed(fd).handle == handle);
}

DEVICE_TEST(change_keeps_the_lease)
{
	const __u64 handle = add(fd, LONG, 1);
	const int lease = new_lease(fd, handle, LONG, 0);
	struct twheel_op op = new_timer(LONG / 2, 1);

	ASSERT_EQ(change(fd, handle, LONG / 4), 0);
	ASSERT_LE(left(lease), LONG / 4);
	op.handle = handle;
	ASSERT_EQ(upsert(fd, &op), 0);
	ASSERT_GT(left(lease), LONG / 4);
	ASSERT_EQ(change(fd, handle, 10 * LONG), 0);
	ASSERT_EQ(push(lease), 0);
	ASSERT_GT(left(lease), 9 * LONG);
	ASSERT_EQ(change(fd, handle, 0), 0);
	ASSERT(read_one(fd).handle == handle);
	check_ended(lease);
}

/* The holder has been told that it is too late. It is not told anything else later. */
DEVICE_TEST(timer_that_is_armed_after_its_expiry_has_no_lease)
{
	const __u64 handle = add(fd, 0, 1);
	unsigned int delay;
	int lease;

	/* A slow machine gets the lease too late, and tries again with more time. */
	for (delay = 2, lease = -ENOENT; lease == -ENOENT && delay < 1024; delay *= 2) {
		wait_until_expired(fd, handle);
		ASSERT_EQ(change(fd, handle, ticks(delay)), TWHEEL_RETRACTED);
		lease = try_lease(fd, handle, LONG, ON_CLOSE);
	}
	ASSERT_GE(lease, 0);
	wait_until_expired(fd, handle);
	ASSERT_EQ(change(fd, handle, LONG), TWHEEL_RETRACTED);
	check_ended(lease);
	ASSERT(!is_leased(fd, handle));
	close(lease);
	check_no_event(fd);
	ASSERT_EQ(push(new_lease(fd, handle, LONG, 0)), 0);
}

/* A new timer gets the place of the old one. */
DEVICE_TEST(lease_never_finds_another_timer)
{
	__u64 handle, next;
	const int lease = lease_of_new_timer(fd, &handle, ON_CLOSE);
	int other;

	ASSERT_EQ(cancel(fd, handle), 0);
	next = add(fd, LONG / 2, 2);
	ASSERT_EQ(TWHEEL_INDEX(next), TWHEEL_INDEX(handle));
	check_ended(lease);
	other = new_lease(fd, next, LONG, 0);
	check_ended(lease);
	ASSERT_LE(left(other), LONG / 2);
	close(lease);
	check_no_event(fd);
	ASSERT_LE(left(other), LONG / 2);
	ASSERT_EQ(leases_of(fd), 1);
}

DEVICE_TEST(closed_lease_expires_the_timer_at_once)
{
	__u64 handle;
	const int lease = lease_of_new_timer(fd, &handle, ON_CLOSE);
	struct twheel_event event;
	__u64 before;

	check_no_event(fd);
	before = now();
	close(lease);
	ASSERT_EQ(get_info(fd).unread, 1);
	ASSERT(!is_leased(fd, handle));
	event = read_closed(fd);
	ASSERT(event.handle == handle);
	ASSERT_EQ(event.cookie, 1);
	ASSERT_GE(event.deadline_ns, before);
	ASSERT_EQ(timers_of(fd), 0);
	check_no_event(fd);
}

DEVICE_TEST(event_of_a_closed_lease_can_be_withdrawn_by_the_owner)
{
	__u64 handle, second;

	close(lease_of_new_timer(fd, &handle, ON_CLOSE));
	ASSERT_EQ(change(fd, handle, ticks(2)), TWHEEL_RETRACTED);
	ASSERT(read_one(fd).handle == handle);	/* which checks that no flag is set */
	close(lease_of_new_timer(fd, &second, ON_CLOSE));
	ASSERT_EQ(cancel(fd, second), TWHEEL_RETRACTED);
	check_no_event(fd);
}

RING_TEST(event_of_a_closed_lease_comes_through_the_ring)
{
	const struct twheel_event *event = &ring.events[0];
	__u64 handle;

	close(lease_of_new_timer(ring.fd, &handle, ON_CLOSE));
	wait_for_event(ring.fd);
	ASSERT_EQ(tail_of(&ring), 1);
	ASSERT(event->handle == handle);
	ASSERT_EQ(event->flags, TWHEEL_EVENT_LEASE_CLOSED);
	close_ring(&ring);
}

/* The holder hears of the end, whatever it is, in poll() and in epoll_wait(). */
static void poll_for_end(void *data)
{
	wait_for_end(*(int *)data);
}

/* Also if another waiter with EPOLLEXCLUSIVE has heard of it. */
static void epoll_for_end(void *data)
{
	const int epoll = new_epoll(*(int *)data, EPOLLIN | EPOLLEXCLUSIVE);

	ASSERT_EQ(epoll_events(epoll, 30000), EPOLLHUP);
	close(epoll);
}

/* The kernel wakes many waiters by parts. */
static void check_wakes(void (*end)(int fd, __u64 handle))
{
	enum { EPOLLS = 200 };
	const int fd = open_device(0);
	__u64 handle;
	int lease = lease_of_new_timer(fd, &handle, 0), epolls[EPOLLS], i;

	for (i = 0; i < EPOLLS; i++) {
		epolls[i] = new_epoll(lease, EPOLLIN | EPOLLET);
		ASSERT_EQ(epoll_events(epolls[i], 0), 0);
	}
	start_thread(poll_for_end, &lease);
	start_threads(2, epoll_for_end, &lease);
	pass_ticks(2);
	end(fd, handle);
	for (i = 0; i < EPOLLS; i++) {
		ASSERT_EQ(epoll_events(epolls[i], 30000), EPOLLHUP);
		close(epolls[i]);
	}
	join_threads();
	check_ended(lease);
	close(lease);
}

static int owner;
static __u64 owned;

/* Whoever comes second finds that the lease has ended, and wakes holders, too. */
static void cancel_owned(unsigned int number)
{
	const int result = cancel(owner, owned);

	ASSERT(result == 0 || result == -ENOENT);
}

DEVICE_TEST(two_calls_wake_the_holders_of_a_lease)
{
	enum { EPOLLS = 40, ROUNDS = 500 };
	const unsigned int rounds = many(ROUNDS);
	int epolls[EPOLLS], lease;
	unsigned int round, i;

	owner = fd;
	start_rounds(2, cancel_owned);
	for (round = 0; round < rounds; round++) {
		lease = lease_of_new_timer(fd, &owned, 0);
		for (i = 0; i < EPOLLS; i++)
			epolls[i] = new_epoll(lease, EPOLLET);
		begin_round();
		end_round();
		for (i = 0; i < EPOLLS; i++) {
			ASSERT_EQ(epoll_events(epolls[i], 10000), EPOLLHUP);
			close(epolls[i]);
		}
		close(lease);
	}
	stop_rounds();
}

static void end_by_cancel(int fd, __u64 handle)
{
	ASSERT_EQ(cancel(fd, handle), 0);
}

/* The owner has not called since it was woken. */
DEVICE_TEST(two_closed_leases_signal_once)
{
	const int eventfd = eventfd_of(fd);
	__u64 handle;
	const int first = lease_of_new_timer(fd, &handle, ON_CLOSE);

	close(lease_of_new_timer(fd, &handle, ON_CLOSE));
	wait_for_event(eventfd);
	close(first);
	sleep_for(ticks(3));
	ASSERT_EQ(signals(eventfd), 1);
	read_closed(fd);
	read_closed(fd);
}

/* The holder need not wake all who wait for the owner. */
TRAVEL_TEST(close_of_a_lease_leaves_the_wake_up_to_a_visit)
{
	__u64 handle;
	const int lease = lease_of_new_timer(fd, &handle, ON_CLOSE);
	const int epoll = new_epoll(fd, EPOLLIN | EPOLLET);

	close(lease);
	ASSERT(!epoll_reports(epoll, 0));
	sleep_for(ticks(2));
	ASSERT(epoll_reports(epoll, 0));
	read_closed(fd);
}

static unsigned int reporting(const int *epolls, unsigned int n)
{
	unsigned int reported = 0;

	while (n--)
		reported += epoll_events(epolls[n], 0) == EPOLLHUP;
	return reported;
}

/* A call wakes 64 parts of the holders of a lease that it ends, in the time of its program. */
TRAVEL_TEST(call_wakes_so_many_holders_and_visits_the_others)
{
	enum { EPOLLS = 3000, IN_THE_CALL = 64 * 16 };
	int epolls[EPOLLS], lease;
	unsigned int i;
	__u64 handle;

	allow_files(EPOLLS + 100);
	lease = lease_of_new_timer(fd, &handle, 0);
	for (i = 0; i < EPOLLS; i++)
		epolls[i] = new_epoll(lease, EPOLLET);
	ASSERT_EQ(cancel(fd, handle), 0);
	ASSERT_EQ(reporting(epolls, EPOLLS), IN_THE_CALL);
	sleep_for(ticks(100));
	ASSERT_EQ(reporting(epolls, EPOLLS), EPOLLS - IN_THE_CALL);
}

/* The kernel has found only some of the timers that are due. */
TRAVEL_TEST(closed_lease_comes_behind_timers_that_were_due)
{
	enum { DUE = 5000 };
	static struct twheel_event events[DUE + 1];
	static struct twheel_op ops[DUE];
	__u64 deadline, handle;
	const int lease = lease_of_new_timer(fd, &handle, ON_CLOSE);
	unsigned int i, n = 0;

	deadline = now() + ticks(5);
	add_many(fd, ops, DUE, new_timer_at(deadline, 0));
	sleep_until(deadline + ticks(4));
	close(lease);
	/* It has expired, though the kernel has not come to it. */
	ASSERT_EQ(query(fd, handle, &(struct twheel_op){ 0 }), TWHEEL_EXPIRED);
	ASSERT_EQ(drain(fd, ops, DUE), 0);
	resume(fd);
	while (n < DUE + 1)
		n += read_some(fd, events + n, DUE + 1 - n);
	for (i = 0; i < DUE; i++) {
		ASSERT_EQ(events[i].deadline_ns, deadline);
		ASSERT_LE(events[i].expired_ns, deadline + tick_ns() + slack_ns());
	}
	ASSERT(events[DUE].handle == handle);
	ASSERT_EQ(events[DUE].flags, TWHEEL_EVENT_LEASE_CLOSED);
	ASSERT_WITHIN(events[DUE].deadline_ns, deadline + ticks(4), now());
}

static void end_by_drain(int fd, __u64 handle)
{
	struct twheel_op op;

	ASSERT_EQ(drain(fd, &op, 1), 1);
	resume(fd);
}

static void end_by_expiry(int fd, __u64 handle)
{
	ASSERT_EQ(change(fd, handle, 0), 0);
}

static void end_by_close(int fd, __u64 handle)
{
	CALL(close(fd));
}

TEST(each_end_wakes_the_holder)
{
	void (*const ends[])(int fd, __u64 handle) = {
		end_by_cancel, end_by_drain, end_by_expiry, end_by_close,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		check_wakes(ends[i]);
}

struct told {
	int	lease;
	__u64	deadline;
};

static void wait_to_be_told(void *data)
{
	const struct told *told = data;

	ASSERT_EQ(poll_events(told->lease, 0, 10000), POLLHUP);
	ASSERT_LE(now(), told->deadline + ticks(2) + slack_ns());
}

/* The ring takes no event, and the owner does not call. */
TEST(holder_is_told_though_the_ring_is_full)
{
	const struct ring ring = new_ring();
	struct twheel_op ops[ENTRIES + 1];
	struct told told;
	__u64 deadline;

	need_time_travel();
	deadline = now() + ticks(5);
	add_many(ring.fd, ops, ENTRIES + 1, new_timer_at(deadline, 0));
	told.deadline = deadline + ticks(5);
	told.lease = new_lease(ring.fd, add_at(ring.fd, told.deadline, 1), LONG, 0);
	wait_to_be_told(&told);
}

/* One lease ends a tick after the other, and the owner does not call. */
TRAVEL_TEST(each_holder_is_told_in_time)
{
	struct told told[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		told[i].deadline = now() + ticks(20 + i);
		told[i].lease = new_lease(fd, add_at(fd, told[i].deadline, i), LONG, 0);
		start_thread(wait_to_be_told, &told[i]);
	}
	join_threads();
}

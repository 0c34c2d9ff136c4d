// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Test the C++ binding on the device. Prints TAP. With an argument: the waits of days.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <poll.h>
#include <twheel.hpp>
#include <twheel/loop.hpp>

using namespace std::chrono_literals;

static int allocations;

void *operator new(std::size_t size)
{
	allocations++;
	if (void *place = std::malloc(size))
		return place;
	throw std::bad_alloc();
}

void operator delete(void *place) noexcept { std::free(place); }
void operator delete(void *place, std::size_t) noexcept { std::free(place); }

#define REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			std::printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
			return false; \
		} \
	} while (0)

// The errno that a call throws, or 0
template <typename Function>
static int thrown(Function &&function)
{
	try {
		function();
	} catch (const std::system_error &error) {
		return error.code() == error.code().default_error_condition() ?
			       error.code().value() : -1;
	}
	return 0;
}

template <typename T>
constexpr bool moves_only = std::is_nothrow_move_constructible_v<T> &&
			    std::is_nothrow_move_assignable_v<T> &&
			    !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;

static_assert(moves_only<twheel::timer_set> && moves_only<twheel::timer> &&
	      moves_only<twheel::lease> && moves_only<twheel::table> &&
	      moves_only<twheel::ring>);
static_assert(noexcept(std::declval<twheel::timer_set &>().try_add(twheel::op())));

static bool durations_are_rounded_up()
{
	using twheel::detail::nanoseconds;
	using years = std::chrono::duration<std::int64_t, std::ratio<31556952>>;

	REQUIRE(nanoseconds(1500ms) == 1500000000);
	REQUIRE(nanoseconds(std::chrono::duration<double>(1e-10)) == 1);
	REQUIRE(nanoseconds(std::chrono::duration<std::int64_t, std::pico>(1001)) == 2);
	REQUIRE(nanoseconds(years(290)) == 290 * 31556952ull * 1000000000);
	REQUIRE(nanoseconds(years(INT64_MAX)) == INT64_MAX);
	REQUIRE(nanoseconds(std::chrono::duration<double>(1e300)) == INT64_MAX);
	return true;
}

// The table of bindings/README. No integer type holds -1 and 2^64 - 1, or 2^64. A number is
// not a handle, nor a time: the compiler refuses it.
using u64_ns = std::chrono::duration<std::uint64_t, std::nano>;
using double_ns = std::chrono::duration<double, std::nano>;

static_assert(!std::is_convertible_v<int, twheel::handle>);
static_assert(!std::is_convertible_v<double, std::chrono::nanoseconds>);

static const std::uint64_t integers[] = {
	0, 1, 1ull << 31, 1ull << 32, (1ull << 53) + 1, INT64_MAX, 1ull << 63, UINT64_MAX
};
static const double numbers[] = { 0, 1, 0x1p31, 0x1p32, 0x1p53 + 2, 0x1p63, 0x1p64, INFINITY };

static bool numbers_at_the_bounds_are_kept()
{
	using clock = std::chrono::steady_clock;
	twheel::timer_set set(O_NONBLOCK);
	const auto timer = set.add(twheel::after(1h));
	const auto deadline = [&] { return set.query(timer, TWHEEL_ABSTIME).time_ns; };

	for (const auto ns : integers) {
		const std::uint64_t wanted = ns < INT64_MAX ? ns : INT64_MAX;
		auto op = twheel::at(std::chrono::time_point<clock, u64_ns>(u64_ns(ns)), ns);

		op.group = ns;
		op = set.query(set.add(twheel::with_window(op, u64_ns(ns))), TWHEEL_ABSTIME);
		REQUIRE(op.time_ns == wanted && op.window_ns == wanted);
		REQUIRE(op.cookie == ns && op.group == ns);
		set.change(timer, std::chrono::time_point<clock, u64_ns>(u64_ns(ns)));
		REQUIRE(deadline() == wanted);
	}
	for (const auto ns : numbers) {
		set.change(timer, std::chrono::time_point<clock, double_ns>(double_ns(ns)));
		REQUIRE(deadline() == (ns < 0x1p63 ? static_cast<std::uint64_t>(ns) : INT64_MAX));
		const auto before = clock::now().time_since_epoch();
		set.change(timer, double_ns(ns));
		REQUIRE(double_ns(deadline()) >= double_ns(ns) || deadline() == INT64_MAX);
		REQUIRE(deadline() >= static_cast<std::uint64_t>(before.count()));
	}
	return true;
}

// Each call with this duration fails with EINVAL, and changes nothing.
template <typename Duration>
static bool is_refused(Duration time)
{
	twheel::timer_set set(O_NONBLOCK);
	const auto timer = set.add(twheel::after(1h));
	const auto deadline = set.query(timer, TWHEEL_ABSTIME).time_ns;
	const auto lease = set.lease(timer, 3h);
	const std::chrono::time_point<std::chrono::steady_clock, Duration> point(time);

	REQUIRE(thrown([&] { set.add(twheel::after(time)); }) == EINVAL);
	REQUIRE(thrown([&] { set.add(twheel::at(point)); }) == EINVAL);
	REQUIRE(thrown([&] { set.add(twheel::every(time)); }) == EINVAL);
	REQUIRE(thrown([&] { set.add(twheel::with_window(twheel::after(1h), time)); }) == EINVAL);
	REQUIRE(thrown([&] { set.change(timer, time); }) == EINVAL);
	REQUIRE(thrown([&] { set.change(timer, point); }) == EINVAL);
	twheel::op op = twheel::change_op(timer, time);
	REQUIRE(set.submit(&op, 1) == 1 && op.result == -EINVAL);
	REQUIRE(thrown([&] { set.lease(set.add(twheel::after(1h)), time); }) == EINVAL);
	REQUIRE(thrown([&] { lease.push(time); }) == EINVAL);
	REQUIRE(set.query(timer, TWHEEL_ABSTIME).time_ns == deadline);
	REQUIRE(set.info().timers == 2);
	return true;
}

static bool negative_times_are_refused()
{
	twheel::timer_set set;
	twheel::table table(set, 1);
	auto op = twheel::after(1h);

	REQUIRE(is_refused(-1ns) && is_refused(-1h) && is_refused(std::chrono::hours::min()));
	REQUIRE(is_refused(double_ns(-1e-10)) && is_refused(double_ns(-INFINITY)));
	REQUIRE(is_refused(double_ns(NAN)));
	op.flags |= TWHEEL_SHARED;
	const auto timer = set.add(op);
	const auto deadline = set.query(timer, TWHEEL_ABSTIME).time_ns;
	REQUIRE(table.push_back(timer, std::chrono::steady_clock::time_point(-1ns)) ==
		twheel::pushed::before);
	REQUIRE(set.query(timer, TWHEEL_ABSTIME).time_ns == deadline);
	return true;
}

static bool waits_take_any_timeout()
{
	twheel::timer_set set;
	const auto timer = set.add(twheel::after(1h));
	const auto lease = set.lease(timer, 1h);

	for (const auto ns : { -1.0, -1e-10, -0x1p64, -double(INFINITY), 0.0 })
		REQUIRE(!set.wait(double_ns(ns)) && !lease.wait(double_ns(ns)));
	REQUIRE(thrown([&] { set.wait(double_ns(NAN)); }) == EINVAL);
	REQUIRE(thrown([&] { lease.wait(double_ns(NAN)); }) == EINVAL);
	set.change(timer, 20ms);
	REQUIRE(set.wait(std::chrono::hours(24 * 25)));
	for (const auto ns : numbers)
		REQUIRE(set.wait(double_ns(ns)) && lease.wait(double_ns(ns)));
	for (const auto ns : integers)
		REQUIRE(set.wait(u64_ns(ns)) && lease.wait(u64_ns(ns)));
	return true;
}

// In virtual time, days pass at once.
static bool waits_of_days_are_not_cut()
{
	const std::chrono::hours day(24);
	twheel::timer_set set;
	const auto start = std::chrono::steady_clock::now();
	const auto lease = set.lease(set.add(twheel::after(100 * day)), 100 * day);
	const auto passed = [&] { return std::chrono::steady_clock::now() - start; };

	REQUIRE(!set.wait(30 * day) && !lease.wait(30 * day));
	REQUIRE(passed() >= 60 * day);
	REQUIRE(set.wait(double_ns(INFINITY)) && lease.wait(30 * day));
	REQUIRE(passed() >= 100 * day && passed() < 101 * day);
	return true;
}

static bool timers_expire_once()
{
	twheel::timer_set set(O_NONBLOCK);
	twheel::event events[4];

	REQUIRE(set.read(events) == 0); // does not block
	const auto when = std::chrono::steady_clock::now() + 20ms;
	const auto timer = set.add(twheel::at(when, 42));
	auto count = set.read(events);

	// On a slow machine, the first read may come after the deadline.
	if (!count) {
		REQUIRE(set.wait(30s));
		count = set.read(events);
	}
	REQUIRE(std::chrono::steady_clock::now() >= when);
	REQUIRE(count == 1);
	REQUIRE(events[0].cookie == 42 && twheel::handle{ events[0].handle } == timer);
	REQUIRE(twheel::deadline(events[0]) == when.time_since_epoch());
	REQUIRE(!set.wait(0s));
	set.add(twheel::at(std::chrono::system_clock::time_point(5ns)));
	set.add(twheel::at(twheel::boot_clock::now()));
	set.add(twheel::every(1h));
	REQUIRE(thrown([&] { set.add(twheel::every(0s)); }) == EINVAL);
	REQUIRE(set.wait());
	REQUIRE(set.info().timers == 3);
	return true;
}

static bool changes_and_cancels()
{
	twheel::timer_set set(O_NONBLOCK);
	const auto timer = set.add(twheel::after(1h, 7));

	REQUIRE(!set.change(timer, 2h));
	REQUIRE(set.query(timer).time_ns > 3600000000000);
	REQUIRE(set.query(timer).cookie == 7);
	REQUIRE(!set.change(timer, std::chrono::steady_clock::time_point(1ns)));
	REQUIRE(set.wait(30s));
	REQUIRE(set.query(timer).result == TWHEEL_EXPIRED);
	REQUIRE(set.change(timer, 1h));
	REQUIRE(!set.cancel(timer));
	REQUIRE(thrown([&] { set.cancel(timer); }) == ENOENT);
	REQUIRE(set.try_query(timer).error() == std::errc::no_such_file_or_directory);

	auto op = twheel::after(1h);
	REQUIRE(set.upsert(op) == TWHEEL_ADDED && set.upsert(op) == 0);
	op.group = 9;
	op.handle = 0;
	set.add(op);
	REQUIRE(set.cancel_group(9) == 1);
	REQUIRE(thrown([&] { set.cancel_group(9); }) == ENOENT);
	return true;
}

static bool batches_and_drains()
{
	twheel::timer_set set(O_NONBLOCK);
	std::vector<twheel::op> ops;

	for (unsigned int i = 0; i < 70000; i++)
		ops.push_back(twheel::after(1h, i));
	REQUIRE(set.submit(ops) == 70000);
	const twheel::handle first{ ops[0].handle }, second{ ops[1].handle };
	twheel::op mixed[] = { twheel::cancel_op(first), twheel::cancel_op(first),
			       twheel::query_op(second), twheel::change_op(second, 2h) };
	REQUIRE(set.submit(mixed) == 4);
	REQUIRE(mixed[0].result == 0 && mixed[1].result == -ENOENT);
	REQUIRE(mixed[2].result == 0 && mixed[2].cookie == 1 && mixed[3].result == 0);
	REQUIRE(set.drain(ops) == 69999);
	REQUIRE(thrown([&] { set.add(twheel::after(1h)); }) == ESHUTDOWN);
	set.resume();
	REQUIRE(set.submit(ops.data(), 69999) == 69999);
	REQUIRE(set.info().timers == 69999);
	return true;
}

static bool a_timer_ends_with_its_object()
{
	twheel::timer_set set;
	twheel::timer kept;
	twheel::handle released;
	{
		twheel::timer one = set.arm(twheel::after(1h)), two = set.arm(twheel::after(1h));
		twheel::timer three = set.arm(twheel::after(1h));

		kept = std::move(one);
		released = two.release();
		REQUIRE(kept && !one && !two && three);
		REQUIRE(set.info().timers == 3);
	}
	REQUIRE(set.info().timers == 2);
	kept = twheel::timer();
	REQUIRE(set.info().timers == 1);
	REQUIRE(!set.cancel(released));
	return true;
}

static bool a_set_closes_its_descriptor()
{
	twheel::timer_set set;
	const int fd = set.fd();

	twheel::timer_set other(std::move(set));
	REQUIRE(!set && other.fd() == fd);
	REQUIRE(thrown([&] { set.info(); }) == EBADF && thrown([&] { set.wait(); }) == EBADF);
	other = twheel::timer_set();
	REQUIRE(fcntl(fd, F_GETFD) == -1 || other.fd() == fd);
	const int given = other.release();
	REQUIRE(!other && fcntl(given, F_GETFD) >= 0);
	{
		auto again = twheel::timer_set::adopt(given);
		REQUIRE(again.info().timers == 0);
	}
	REQUIRE(fcntl(given, F_GETFD) == -1);
	REQUIRE(thrown([] { twheel::timer_set bad(O_APPEND); }) == EINVAL);
	REQUIRE(!twheel::timer_set::try_open(O_APPEND));
	return true;
}

// Another user may not open the device, and hears why.
static bool open_says_what_may_be_wrong()
{
	std::string said;

	REQUIRE(!seteuid(65534));
	try {
		twheel::timer_set refused;
	} catch (const std::system_error &error) {
		said = error.what();
	}
	REQUIRE(!seteuid(0));
	REQUIRE(said.find("/dev/twheel (is the user in the group twheel?)") == 0);
	return true;
}

static bool table_pushes_back()
{
	twheel::timer_set set;
	twheel::table first(set, 1000);
	const auto start = std::chrono::steady_clock::now();
	auto op = twheel::at(start + 1h);

	op.flags |= TWHEEL_SHARED;
	const auto timer = set.add(op);
	REQUIRE(first.size() >= 1000 && twheel::table(set).size() == first.size());
	twheel::table table(std::move(first));
	REQUIRE(table.push_back(timer, start + 2h) == twheel::pushed::yes);
	REQUIRE(table.push_back(timer, start + 1h) == twheel::pushed::before);
	REQUIRE(first.size() == 0 && first.push_back(timer, start + 3h) == twheel::pushed::no);
	set.cancel(timer);
	REQUIRE(table.push_back(timer, start + 3h) == twheel::pushed::no);
	REQUIRE(thrown([&] { twheel::table(set, table.size() + 1); }) == EINVAL);
	return true;
}

static bool ring_has_each_event_once()
{
	twheel::timer_set set(O_NONBLOCK);
	twheel::ring first(set, 64), ring(std::move(first));
	std::vector<twheel::op> ops(ring.capacity() * 10, twheel::after(0s));
	std::set<std::uint64_t> seen;
	twheel::event event;

	REQUIRE(first.size() == 0 && first.capacity() == 0 && !first.more());
	set.submit(ops);
	while (seen.size() < ops.size())
		if (!ring.consume([&](const twheel::event &e) { seen.insert(e.handle); }, 50))
			set.wait(1s);
	for (const auto &op : ops)
		REQUIRE(seen.count(op.handle));
	REQUIRE(ring.size() == 0 && !ring.consume([](auto &) {}));
	REQUIRE(thrown([&] { set.read(&event, 1); }) == EBUSY);

	// An event for which the function throws stays.
	set.add(twheel::after(0s));
	set.wait();
	REQUIRE(thrown([&] {
		ring.consume([](auto &) { throw std::system_error(1, std::generic_category()); });
	}) == 1);
	REQUIRE(ring.size() == 1);
	return true;
}

static bool lists_and_restores()
{
	twheel::timer_set set, other;
	std::vector<twheel::op> ops(100), records(107);
	std::uint64_t cursor = 0;
	std::size_t count = 0;

	for (auto &op : ops)
		op = twheel::with_window(twheel::after(1h), 1s);
	set.submit(ops);
	while (const std::size_t got = set.list(cursor, &records[count], 7))
		count += got;
	REQUIRE(count == 100);
	records.resize(count);
	REQUIRE(other.restore(records) == 100);
	for (const auto &op : ops) {
		REQUIRE(other.query(twheel::handle{ op.handle }).window_ns == 1000000000);
		REQUIRE(set.query(twheel::handle{ op.handle }).result == 0);
	}
	REQUIRE(other.restore(records) == 100 && records[0].result == -EEXIST);
	return true;
}

static bool a_lease_keeps_a_timer_from_expiring()
{
	twheel::timer_set set;
	const auto timer = set.add(twheel::after(1h));
	twheel::event event;
	{
		twheel::lease first = set.lease(timer, 3h, TWHEEL_LEASE_EXPIRE_ON_CLOSE);
		twheel::lease lease(std::move(first));

		REQUIRE(!lease.wait(0s));
		REQUIRE(lease && !first && thrown([&] { first.push(); }) == EBADF);
		REQUIRE(thrown([&] { first.wait(10s); }) == EBADF);
		lease.push(2h);
		REQUIRE(lease.left() > 1h && lease.left() <= 2h);
		lease.push();
		REQUIRE(lease.left() > 2h);
		REQUIRE(thrown([&] { lease.push(4h); }) == EINVAL);
		REQUIRE(thrown([&] { set.lease(timer, 1h); }) == EBUSY);
	}
	REQUIRE(set.wait(30s) && set.read(&event, 1) == 1);
	REQUIRE(event.flags == TWHEEL_EVENT_LEASE_CLOSED);
	const twheel::lease ended = set.lease(set.add(twheel::after(1h)), 1h);
	set = twheel::timer_set();
	REQUIRE(ended.wait(30s));
	REQUIRE(thrown([&] { ended.left(); }) == ENOENT && !ended.try_push());
	return true;
}

static bool a_fence_kills_a_stopped_process()
{
	twheel::timer_set set;
	int status = 0;
	const pid_t child = fork();

	if (!child) {
		setpgid(0, 0);
		for (;;)
			raise(SIGSTOP);
	}
	setpgid(child, child);
	REQUIRE(thrown([&] { set.fence(0); }) == EINVAL);
	REQUIRE(thrown([&] { set.fence(child, 65); }) == EINVAL);
	set.fence(-child);
	set.add(twheel::after(500ms));
	REQUIRE(waitpid(child, &status, 0) == child);
	REQUIRE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	REQUIRE(thrown([&] { set.fence(-child); }) == ESRCH);
	set.end_fence();
	return true;
}

static bool a_lease_comes_from_the_environment()
{
	twheel::timer_set set;
	const auto given = set.lease(set.add(twheel::after(1h)), 3h);
	std::chrono::nanoseconds length{};

	REQUIRE(thrown([] { twheel::lease::from_env(); }) == ENOENT);
	setenv("TWHEEL_LEASE_FD", std::to_string(given.fd()).c_str(), 1);
	REQUIRE(thrown([&] { twheel::lease::from_env(&length); }) == ENOENT);
	setenv("TWHEEL_LEASE_NS", "10800000000000", 1);
	auto lease = twheel::lease::from_env(&length);
	REQUIRE(length == 3h && lease.release() == given.fd());
	unsetenv("TWHEEL_LEASE_FD");
	return true;
}

static bool eventfd_is_signalled()
{
	twheel::timer_set set;
	const int fd = eventfd(0, 0);
	std::uint64_t count = 0;

	set.set_eventfd(fd);
	set.watch_clock();
	set.add(twheel::after(0s));
	REQUIRE(read(fd, &count, sizeof(count)) == sizeof(count) && count);
	set.set_eventfd(-1);
	REQUIRE(thrown([&] { set.set_eventfd(set.fd()); }) == EINVAL);
	close(fd);
	return true;
}

static bool nothing_is_allocated()
{
	twheel::event events[4];
	twheel::op ops[4] = { twheel::after(0s), twheel::after(0s), twheel::after(0s) };
	const int before = allocations;
	{
		twheel::timer_set set(O_NONBLOCK);
		twheel::table table(set, 100);
		twheel::timer timer = set.arm(twheel::after(1h));

		set.change(timer.get(), 2h);
		set.submit(ops, 3);
		set.wait();
		set.read(events);
		REQUIRE(!set.try_cancel(twheel::handle{ 1 }));
		twheel::ring ring(set, 10);
		ring.consume([](auto &) {});
		set.drain(ops);
	}
	REQUIRE(allocations == before);
	return true;
}

static void turn(const twheel::loop &loop)
{
	struct pollfd fd = { loop.fd(), POLLIN, 0 };

	loop.prepare();
	poll(&fd, 1, loop.timeout());
	loop.dispatch(fd.revents);
}

// In the device, and then in the process
static bool a_loop_runs_its_timers()
{
	for (const unsigned int flags : { TWHEEL_LOOP_DEVICE, TWHEEL_LOOP_PROCESS }) {
		const twheel::loop loop(flags);
		std::vector<int> ran;
		const auto begin = std::chrono::steady_clock::now();
		twheel::loop_timer second(loop, [&ran] { ran.push_back(2); });
		twheel::loop_timer first(loop, [&ran, &second] {
			ran.push_back(1);
			second.again(60ms);
		});

		REQUIRE(loop.in_device() == (flags == TWHEEL_LOOP_DEVICE) && !loop.reason());
		{
			twheel::loop_timer gone(loop, [&ran] { ran.push_back(3); });

			gone.start(begin + 5ms);
			loop.prepare();
			REQUIRE(gone.running());
		}
		first.start(begin + 40ms);
		second.start(begin + 50ms);
		while (ran.size() < 2)
			turn(loop);
		REQUIRE((ran == std::vector<int>{ 1, 2 }));
		REQUIRE(std::chrono::steady_clock::now() - begin >= 100ms);
		REQUIRE(!first.running() && !first.stop() && !first.again(1ms));
		first.start(std::chrono::nanoseconds::max());
		first.start(-1ms);
		second.start(std::chrono::hours(24) * 365 * 400);
		loop.prepare();
		REQUIRE(loop.timeout() == 0 && loop.dispatch(false) == 1);
	}
	REQUIRE(thrown([] { twheel::loop loop(1U << 31); }) == EINVAL);
	return true;
}

static const struct {
	const char *name;
	bool (*run)();
	bool days = false;
} tests[] = {
	{ "durations are rounded up", durations_are_rounded_up },
	{ "numbers at the bounds are kept", numbers_at_the_bounds_are_kept },
	{ "negative times are refused", negative_times_are_refused },
	{ "waits take any timeout", waits_take_any_timeout },
	{ "timers expire once", timers_expire_once },
	{ "timers change and end", changes_and_cancels },
	{ "batches and drains", batches_and_drains },
	{ "a timer ends with its object", a_timer_ends_with_its_object },
	{ "a set closes its descriptor", a_set_closes_its_descriptor },
	{ "a set that cannot be opened says why", open_says_what_may_be_wrong },
	{ "the table pushes deadlines back", table_pushes_back },
	{ "the ring has each event once", ring_has_each_event_once },
	{ "timers are listed and restored", lists_and_restores },
	{ "a lease keeps a timer from expiring", a_lease_keeps_a_timer_from_expiring },
	{ "a fence kills a stopped process", a_fence_kills_a_stopped_process },
	{ "a lease comes from the environment", a_lease_comes_from_the_environment },
	{ "an eventfd is signalled", eventfd_is_signalled },
	{ "nothing is allocated", nothing_is_allocated },
	{ "a loop runs its timers", a_loop_runs_its_timers },
	{ "waits of days are not cut", waits_of_days_are_not_cut, true },
};

int main(int argc, char **)
{
	int number = 0, failed = 0;

	for (const auto &test : tests) {
		bool passed = false;

		if (test.days != (argc > 1))
			continue;
		try {
			passed = test.run();
		} catch (const std::exception &error) {
			std::printf("# %s\n", error.what());
		}
		failed += !passed;
		std::printf("%sok %d cpp: %s\n", passed ? "" : "not ", ++number, test.name);
	}
	std::printf("1..%d\n", number);
	return failed ? 1 : 0;
}

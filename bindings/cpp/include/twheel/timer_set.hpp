// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// twheel for C++: timers and their sets
#ifndef TWHEEL_TIMER_SET_HPP
#define TWHEEL_TIMER_SET_HPP

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include <sys/types.h>

#include "lease.hpp"
#include "operation.hpp"
#include "result.hpp"

namespace twheel {

class timer_set;

// A timer that ends with this object. It must not outlive its set.
class timer {
public:
	timer() noexcept = default;
	timer(timer &&other) noexcept
		: fd_(std::exchange(other.fd_, -1)), timer_(other.timer_)
	{
	}
	timer &operator=(timer &&other) noexcept
	{
		timer(std::move(other)).swap(*this);
		return *this;
	}
	~timer()
	{
		if (fd_ >= 0)
			twheel_cancel(fd_, static_cast<std::uint64_t>(timer_));
	}

	void swap(timer &other) noexcept
	{
		std::swap(fd_, other.fd_);
		std::swap(timer_, other.timer_);
	}

	explicit operator bool() const noexcept { return fd_ >= 0; }
	handle get() const noexcept { return timer_; }

	// Give the timer up without ending it.
	handle release() noexcept
	{
		fd_ = -1;
		return timer_;
	}

private:
	friend class timer_set;
	timer(int fd, handle made) noexcept : fd_(fd), timer_(made) {}

	int fd_ = -1;
	handle timer_{};
};

// An open file of the device. Its timers end with it, unless another descriptor or a mapping
// still has the file.
class timer_set {
public:
	// FLAGS: 0 or O_NONBLOCK
	explicit timer_set(int flags = 0) : timer_set(try_open(flags).value()) {}
	timer_set(timer_set &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
	timer_set &operator=(timer_set &&other) noexcept
	{
		timer_set moved(std::move(other));

		std::swap(fd_, moved.fd_);
		return *this;
	}
	~timer_set()
	{
		if (fd_ >= 0)
			twheel_close(fd_);
	}

	static result<timer_set> try_open(int flags = 0) noexcept
	{
		const int fd = twheel_open(flags);

		return fd < 0 ? result<timer_set>::failure(-fd, detail::why(-fd)) :
				result<timer_set>::success(adopt(fd));
	}

	// Take over a descriptor of the device.
	static timer_set adopt(int fd) noexcept
	{
		timer_set made{ closed{} };

		made.fd_ = fd;
		return made;
	}

	int fd() const noexcept { return fd_; }
	int release() noexcept { return std::exchange(fd_, -1); }
	explicit operator bool() const noexcept { return fd_ >= 0; }

	result<information> try_info() const noexcept
	{
		information got{};
		const int ret = twheel_get_info(fd_, &got);

		return detail::make<information>(ret, got, "twheel_get_info");
	}
	information info() const { return try_info().value(); }

	// Add a timer.
	result<handle> try_add(const op &wanted) noexcept
	{
		op copy = wanted;
		const int ret = twheel_add(fd_, &copy);

		return detail::make<handle>(ret, copy.handle, "twheel_add");
	}
	handle add(const op &wanted) { return try_add(wanted).value(); }

	// Add a timer that ends with the object returned.
	result<timer> try_arm(const op &wanted) noexcept
	{
		auto made = try_add(wanted);

		return made ? result<timer>::success(timer(fd_, *made)) :
			      result<timer>::failure(made.error().value(), "twheel_add");
	}
	timer arm(const op &wanted) { return try_arm(wanted).value(); }

	// Give a timer a new deadline: a delay or a time point. True if its event was withdrawn.
	template <typename When>
	result<bool> try_change(handle which, When when) noexcept
	{
		const op wanted = change_op(which, when);

		return detail::make_bool(twheel_change(fd_, wanted.handle, wanted.time_ns,
						       wanted.flags), "twheel_change");
	}
	template <typename When>
	bool change(handle which, When when) { return try_change(which, when).value(); }

	// End a timer. True if its event was withdrawn.
	result<bool> try_cancel(handle which) noexcept
	{
		return detail::make_bool(twheel_cancel(fd_, static_cast<std::uint64_t>(which)),
					 "twheel_cancel");
	}
	bool cancel(handle which) { return try_cancel(which).value(); }

	// The state of a timer. Its result is TWHEEL_EXPIRED if its event is unread.
	result<op> try_query(handle which, std::uint32_t flags = 0) const noexcept
	{
		op found{};
		const int ret = twheel_query(fd_, static_cast<std::uint64_t>(which), &found, flags);

		found.result = ret;
		return detail::make<op>(ret, found, "twheel_query");
	}
	op query(handle which, std::uint32_t flags = 0) const
	{
		return try_query(which, flags).value();
	}

	// Change the timer whose handle is in the operation, or add one: TWHEEL_ADDED.
	result<int> try_upsert(op &wanted) noexcept
	{
		const int ret = twheel_upsert(fd_, &wanted);

		return detail::make<int>(ret, ret, "twheel_upsert");
	}
	int upsert(op &wanted) { return try_upsert(wanted).value(); }

	// End all timers of a group, and count them.
	result<std::size_t> try_cancel_group(std::uint64_t group,
					     std::uint64_t *retracted = nullptr) noexcept
	{
		return detail::make_count(twheel_cancel_group(fd_, group, retracted),
					  "twheel_cancel_group");
	}
	std::size_t cancel_group(std::uint64_t group, std::uint64_t *retracted = nullptr)
	{
		return try_cancel_group(group, retracted).value();
	}

	// Carry out operations. The number that were carried out is less than COUNT if an
	// error followed; submitting the rest returns the error.
	result<std::size_t> try_submit(op *ops, std::size_t count) noexcept
	{
		return detail::make_count(twheel_submit(fd_, ops, count), "twheel_submit");
	}
	std::size_t submit(op *ops, std::size_t count) { return try_submit(ops, count).value(); }
	template <typename Container>
	std::size_t submit(Container &ops) { return submit(std::data(ops), std::size(ops)); }

	// Refuse new timers, and take back up to ROOM pending ones.
	result<std::size_t> try_drain(op *ops, std::size_t room) noexcept
	{
		return detail::make_count(twheel_drain(fd_, ops, room), "twheel_drain");
	}
	std::size_t drain(op *ops, std::size_t room) { return try_drain(ops, room).value(); }
	template <typename Container>
	std::size_t drain(Container &ops) { return drain(std::data(ops), std::size(ops)); }

	// Accept new timers again.
	result<done> try_resume() noexcept
	{
		return detail::make(twheel_resume(fd_), "twheel_resume");
	}
	void resume() { try_resume().value(); }

	// Look at timers, from a cursor that is 0 at first, until the result is 0: for each
	// an operation that would add it again.
	result<std::size_t> try_list(std::uint64_t &cursor, op *ops, std::size_t room,
				     std::uint32_t flags = 0) const noexcept
	{
		return detail::make_count(twheel_list(fd_, &cursor, ops, room, flags),
					  "twheel_list");
	}
	std::size_t list(std::uint64_t &cursor, op *ops, std::size_t room,
			 std::uint32_t flags = 0) const
	{
		return try_list(cursor, ops, room, flags).value();
	}

	// Add timers under the handles that they had, from drain() or list().
	result<std::size_t> try_restore(op *ops, std::size_t count) noexcept
	{
		return detail::make_count(twheel_restore(fd_, ops, count), "twheel_restore");
	}
	std::size_t restore(op *ops, std::size_t count) { return try_restore(ops, count).value(); }
	template <typename Container>
	std::size_t restore(Container &ops) { return restore(std::data(ops), std::size(ops)); }

	// Make a lease on a timer, by which another process pushes the deadline at most CAP
	// ahead. FLAGS: 0 or TWHEEL_LEASE_EXPIRE_ON_CLOSE
	template <typename Rep, typename Period>
	result<twheel::lease> try_lease(handle which, std::chrono::duration<Rep, Period> cap,
					std::uint32_t flags = 0) noexcept
	{
		const int made = twheel_lease(fd_, static_cast<std::uint64_t>(which),
					      detail::nanoseconds(cap), flags);

		return made < 0 ? result<twheel::lease>::failure(-made, "twheel_lease") :
				  result<twheel::lease>::success(twheel::lease::adopt(made));
	}
	template <typename Rep, typename Period>
	twheel::lease lease(handle which, std::chrono::duration<Rep, Period> cap,
			    std::uint32_t flags = 0)
	{
		return try_lease(which, cap, flags).value();
	}

	// Have the kernel send SIGNAL to a process when a timer expires, or to a process group, as
	// a negative number. Use a set with one timer for this, and do not read its events.
	// libtwheel(3), "Fences", has the limits.
	result<done> try_fence(pid_t owner, int signal = SIGKILL) noexcept
	{
		return detail::make(owner ? twheel_fence(fd_, owner, signal) : -EINVAL,
				    "twheel_fence");
	}
	void fence(pid_t owner, int signal = SIGKILL) { try_fence(owner, signal).value(); }

	// Send no signal any more.
	result<done> try_end_fence() noexcept
	{
		return detail::make(twheel_fence(fd_, 0, 0), "twheel_fence");
	}
	void end_fence() { try_end_fence().value(); }

	// Read events: 0 if there are none and the file is O_NONBLOCK.
	result<std::size_t> try_read(event *events, std::size_t room) noexcept
	{
		const long got = twheel_read(fd_, events, room);

		return detail::make_count(got == -EAGAIN ? 0 : got, "twheel_read");
	}
	std::size_t read(event *events, std::size_t room) { return try_read(events, room).value(); }
	template <typename Container>
	std::size_t read(Container &events) { return read(std::data(events), std::size(events)); }

	// Wait for events: false after the timeout. EINTR after a signal.
	result<bool> try_wait() noexcept
	{
		return detail::make_bool(twheel_wait(fd_, -1), "twheel_wait");
	}
	template <typename Rep, typename Period>
	result<bool> try_wait(std::chrono::duration<Rep, Period> timeout) noexcept
	{
		return detail::wait(twheel_wait, fd_, timeout, "twheel_wait");
	}
	bool wait() { return try_wait().value(); }
	template <typename Rep, typename Period>
	bool wait(std::chrono::duration<Rep, Period> timeout) { return try_wait(timeout).value(); }

	// Signal an eventfd when timers expire; -1 to stop.
	result<done> try_set_eventfd(int eventfd) noexcept
	{
		return detail::make(twheel_set_eventfd(fd_, eventfd), "twheel_set_eventfd");
	}
	void set_eventfd(int eventfd) { try_set_eventfd(eventfd).value(); }

	// Ask for an event whenever CLOCK_REALTIME is set.
	result<done> try_watch_clock() noexcept
	{
		return detail::make(twheel_watch_clock(fd_), "twheel_watch_clock");
	}
	void watch_clock() { try_watch_clock().value(); }

private:
	struct closed {};
	explicit timer_set(closed) noexcept {}

	int fd_ = -1;
};

} // namespace twheel

#endif // TWHEEL_TIMER_SET_HPP

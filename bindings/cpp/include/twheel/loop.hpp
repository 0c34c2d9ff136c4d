// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// twheel for C++: the timers of an event loop, over libtwheel-loop (-ltwheel-loop -ltwheel)
#ifndef TWHEEL_LOOP_HPP
#define TWHEEL_LOOP_HPP

#include <chrono>
#include <memory>
#include <utility>

#include <twheel_loop.h>

#include "operation.hpp"
#include "result.hpp"

namespace twheel {

// The timers of an event loop: in each turn prepare(), a poll of fd() for at most timeout() ms,
// and dispatch(). One thread at a time uses a loop and its timers. twheel_loop.h documents the
// calls and the flags.
class loop {
public:
	using clock = std::chrono::steady_clock;

	explicit loop(unsigned int flags = 0) : loop(try_open(flags).value()) {}

	static result<loop> try_open(unsigned int flags = 0) noexcept
	{
		twheel_loop *opened = nullptr;
		const int error = twheel_loop_open(&opened, flags);

		if (error)
			return result<loop>::failure(-error, error == -EINVAL ? "twheel_loop_open" :
									detail::why(-error));
		return result<loop>::success(loop(opened));
	}

	int fd() const noexcept { return twheel_loop_fd(loop_.get()); }
	void prepare(clock::time_point now = clock::now()) const noexcept
	{
		twheel_loop_prepare(loop_.get(), detail::reading(now));
	}
	int timeout(clock::time_point now = clock::now()) const noexcept
	{
		return twheel_loop_timeout(loop_.get(), detail::reading(now));
	}
	unsigned int dispatch(bool readable, clock::time_point now = clock::now()) const noexcept
	{
		return twheel_loop_dispatch(loop_.get(), detail::reading(now), readable);
	}

	// In the child after fork(), before any other call.
	result<done> try_fork() const noexcept
	{
		return detail::make(twheel_loop_fork(loop_.get()), "twheel_loop_fork");
	}
	void fork() const { try_fork().value(); }

	bool in_device() const noexcept
	{
		return twheel_loop_backend(loop_.get(), nullptr) == TWHEEL_LOOP_IN_DEVICE;
	}
	// Why timers are not where they are wanted; no error if they are.
	std::error_code reason() const noexcept
	{
		int error = 0;

		twheel_loop_backend(loop_.get(), &error);
		return { -error, std::generic_category() };
	}

	twheel_loop *get() const noexcept { return loop_.get(); }

private:
	struct closer {
		void operator()(twheel_loop *opened) const noexcept { twheel_loop_close(opened); }
	};

	explicit loop(twheel_loop *opened) noexcept : loop_(opened) {}

	std::unique_ptr<twheel_loop, closer> loop_;
};

// A timer of a loop, which calls a function without arguments. It stays where it is, and stops
// when it is destroyed; the loop has to live longer. The function may start and stop any timer,
// but must neither throw nor destroy its own timer.
template <typename Function>
class loop_timer : private twheel_loop_timer {
public:
	loop_timer(const loop &owner, Function function)
		: loop_(owner.get()), function_(std::move(function))
	{
		twheel_loop_timer_init(this, run);
	}
	loop_timer(const loop_timer &) = delete;
	loop_timer &operator=(const loop_timer &) = delete;
	~loop_timer() { stop(); }

	// Start or restart the timer. A time that is negative, or not a number, has passed.
	void start(loop::clock::time_point deadline) noexcept
	{
		twheel_loop_timer_start(loop_, this, nanoseconds(deadline));
	}
	template <typename Rep, typename Period>
	void start(std::chrono::duration<Rep, Period> delay) noexcept
	{
		start(after(delay));
	}
	// Restart the timer if it runs.
	bool again(loop::clock::time_point deadline) noexcept
	{
		return twheel_loop_timer_again(loop_, this, nanoseconds(deadline));
	}
	template <typename Rep, typename Period>
	bool again(std::chrono::duration<Rep, Period> delay) noexcept
	{
		return again(after(delay));
	}
	bool stop() noexcept { return twheel_loop_timer_stop(loop_, this); }
	bool running() const noexcept { return twheel_loop_timer_running(this); }

private:
	static std::uint64_t nanoseconds(loop::clock::time_point when) noexcept
	{
		const std::uint64_t ns = detail::reading(when);

		return ns == detail::no_time ? 0 : ns;
	}

	// A delay is rounded up, and one of 292 years or more has no end.
	template <typename Rep, typename Period>
	static loop::clock::time_point after(std::chrono::duration<Rep, Period> delay) noexcept
	{
		const std::uint64_t ns = detail::nanoseconds(delay);
		const loop::clock::time_point now = loop::clock::now();

		if (ns == detail::no_time)
			return now;
		const std::chrono::nanoseconds longest = loop::clock::time_point::max() - now;
		const std::chrono::nanoseconds wanted(static_cast<std::int64_t>(ns));

		return now + (wanted < longest ? wanted : longest);
	}

	static void run(twheel_loop *, twheel_loop_timer *timer) noexcept
	{
		static_cast<loop_timer *>(timer)->function_();
	}

	twheel_loop *loop_;
	Function function_;
};

} // namespace twheel

#endif // TWHEEL_LOOP_HPP

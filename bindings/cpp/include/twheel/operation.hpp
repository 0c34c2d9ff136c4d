// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// twheel for C++: operations, and the clocks
#ifndef TWHEEL_OPERATION_HPP
#define TWHEEL_OPERATION_HPP

#include <chrono>
#include <cstdint>
#include <type_traits>

#include <libtwheel.h>

namespace twheel {

using op = ::twheel_op;
using event = ::twheel_event;
using information = ::twheel_info;

// Names a timer of a set
enum class handle : std::uint64_t {};

// CLOCK_BOOTTIME, which includes the time in suspend.
struct boot_clock {
	using duration = std::chrono::nanoseconds;
	using rep = duration::rep;
	using period = duration::period;
	using time_point = std::chrono::time_point<boot_clock>;
	static constexpr bool is_steady = true;

	static time_point now() noexcept
	{
		return time_point(duration(static_cast<rep>(twheel_now(CLOCK_BOOTTIME))));
	}
};

namespace detail {

// A time that the device refuses with EINVAL
constexpr std::uint64_t no_time = UINT64_MAX;

// A duration in ns, rounded up, from 0 to the longest that the device has; or no_time if it
// is negative or not a number.
template <typename Rep, typename Period>
std::uint64_t nanoseconds(std::chrono::duration<Rep, Period> delay) noexcept
{
	constexpr std::uint64_t longest = INT64_MAX;
	// One second less, so that rounding cannot pass the end
	constexpr std::chrono::duration<long double> limit(INT64_MAX / 1000000000 - 1);

	if (delay < delay.zero() || delay != delay)
		return no_time;
	if (std::chrono::duration<long double>(delay) >= limit)
		return longest;
	return static_cast<std::uint64_t>(
		std::chrono::ceil<std::chrono::nanoseconds>(delay).count());
}

template <typename Clock>
constexpr clockid_t clock_id() noexcept
{
	if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>)
		return CLOCK_MONOTONIC;
	else if constexpr (std::is_same_v<Clock, std::chrono::system_clock>)
		return CLOCK_REALTIME;
	else if constexpr (std::is_same_v<Clock, boot_clock>)
		return CLOCK_BOOTTIME;
	else
		static_assert(!sizeof(Clock *), "the device does not have this clock");
}

template <typename Clock, typename Duration>
std::uint64_t reading(std::chrono::time_point<Clock, Duration> when) noexcept
{
	return nanoseconds(when.time_since_epoch());
}

} // namespace detail

// Operations that add a timer. The program may change their fields.

template <typename Rep, typename Period>
op after(std::chrono::duration<Rep, Period> delay, std::uint64_t cookie = 0) noexcept
{
	return twheel_after(detail::nanoseconds(delay), cookie);
}

template <typename Clock, typename Duration>
op at(std::chrono::time_point<Clock, Duration> when, std::uint64_t cookie = 0) noexcept
{
	return twheel_at(detail::clock_id<Clock>(), detail::reading(when), cookie);
}

template <typename Rep, typename Period>
op every(std::chrono::duration<Rep, Period> period, std::uint64_t cookie = 0) noexcept
{
	return twheel_every(detail::nanoseconds(period), cookie);
}

// The operation, whose timer may expire that much later than its deadline
template <typename Rep, typename Period>
op with_window(op wanted, std::chrono::duration<Rep, Period> window) noexcept
{
	wanted.window_ns = detail::nanoseconds(window);
	return wanted;
}

// Operations of a batch on a timer that exists

template <typename Rep, typename Period>
op change_op(handle timer, std::chrono::duration<Rep, Period> delay) noexcept
{
	op made{};

	made.op = TWHEEL_OP_CHANGE;
	made.handle = static_cast<std::uint64_t>(timer);
	made.time_ns = detail::nanoseconds(delay);
	return made;
}

template <typename Clock, typename Duration>
op change_op(handle timer, std::chrono::time_point<Clock, Duration> when) noexcept
{
	op made = change_op(timer, std::chrono::nanoseconds(0));

	made.time_ns = detail::reading(when);
	made.flags = TWHEEL_ABSTIME;
	return made;
}

inline op cancel_op(handle timer) noexcept
{
	op made{};

	made.op = TWHEEL_OP_CANCEL;
	made.handle = static_cast<std::uint64_t>(timer);
	return made;
}

// FLAGS: 0 for the time left, TWHEEL_ABSTIME for the deadline.
inline op query_op(handle timer, std::uint32_t flags = 0) noexcept
{
	op made = cancel_op(timer);

	made.op = TWHEEL_OP_QUERY;
	made.flags = flags;
	return made;
}

// The deadline of an event, on the clock of its timer
inline std::chrono::nanoseconds deadline(const event &expired) noexcept
{
	return std::chrono::nanoseconds(expired.deadline_ns);
}

} // namespace twheel

#endif // TWHEEL_OPERATION_HPP

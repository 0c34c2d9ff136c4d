// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// twheel for C++: leases
#ifndef TWHEEL_LEASE_HPP
#define TWHEEL_LEASE_HPP

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <utility>

#include <unistd.h>

#include "operation.hpp"
#include "result.hpp"

namespace twheel {

namespace detail {

// Wait by WAIT, twheel_wait() or twheel_lease_wait(), which take at most 24.8 days.
template <typename Rep, typename Period>
result<bool> wait(int (*wait)(int, int), int fd, std::chrono::duration<Rep, Period> timeout,
		  const char *what) noexcept
{
	const std::uint64_t ns = timeout < timeout.zero() ? 0 : nanoseconds(timeout);
	std::uint64_t left = (ns + 999999) / 1000000;

	if (ns == no_time)
		return result<bool>::failure(EINVAL, what);
	for (;;) {
		const int ms = left < INT_MAX ? static_cast<int>(left) : INT_MAX;
		const int ret = wait(fd, ms);

		left -= static_cast<std::uint64_t>(ms);
		if (ret || !left)
			return make_bool(ret, what);
	}
}

} // namespace detail

// A lease on a timer: the descriptor by which another process pushes the deadline back. When
// the lease has ended, its calls fail with ENOENT.
class lease {
public:
	lease() noexcept = default;
	lease(lease &&other) noexcept : fd_(other.release()) {}
	lease &operator=(lease &&other) noexcept
	{
		lease moved(std::move(other));

		std::swap(fd_, moved.fd_);
		return *this;
	}
	~lease()
	{
		if (fd_ >= 0)
			::close(fd_);
	}

	// Take over a descriptor, for example one from a parent.
	static lease adopt(int fd) noexcept
	{
		lease made;

		made.fd_ = fd;
		return made;
	}

	// Take the lease that "twheelctl run" has given the program, and its length. Call this
	// once: the object owns the descriptor.
	static result<lease> try_from_env(std::chrono::nanoseconds *length = nullptr) noexcept
	{
		std::uint64_t ns = 0;
		const int fd = twheel_lease_from_env(length ? &ns : nullptr);

		if (fd < 0)
			return result<lease>::failure(-fd, "twheel_lease_from_env");
		if (length)
			*length = std::chrono::nanoseconds(ns);
		return result<lease>::success(adopt(fd));
	}
	static lease from_env(std::chrono::nanoseconds *length = nullptr)
	{
		return try_from_env(length).value();
	}

	int fd() const noexcept { return fd_; }
	int release() noexcept { return std::exchange(fd_, -1); }
	explicit operator bool() const noexcept { return fd_ >= 0; }

	// Push the deadline back as far as the lease allows.
	result<done> try_push() const noexcept
	{
		return detail::make(twheel_lease_push(fd_), "twheel_lease_push");
	}
	void push() const { try_push().value(); }

	// Push the deadline back to a time from now.
	template <typename Rep, typename Period>
	result<done> try_push(std::chrono::duration<Rep, Period> delay) const noexcept
	{
		return detail::make(twheel_lease_push_by(fd_, detail::nanoseconds(delay)),
				    "twheel_lease_push_by");
	}
	template <typename Rep, typename Period>
	void push(std::chrono::duration<Rep, Period> delay) const { try_push(delay).value(); }

	// The time from now to the deadline
	result<std::chrono::nanoseconds> try_left() const noexcept
	{
		std::uint64_t left = 0;
		const int ret = twheel_lease_left(fd_, &left);

		return detail::make<std::chrono::nanoseconds>(
			ret, static_cast<std::chrono::nanoseconds::rep>(left),
			"twheel_lease_left");
	}
	std::chrono::nanoseconds left() const { return try_left().value(); }

	// Wait for the end of the lease: false after the timeout. EINTR after a signal.
	template <typename Rep, typename Period>
	result<bool> try_wait(std::chrono::duration<Rep, Period> timeout) const noexcept
	{
		return detail::wait(twheel_lease_wait, fd_, timeout, "twheel_lease_wait");
	}
	template <typename Rep, typename Period>
	bool wait(std::chrono::duration<Rep, Period> timeout) const
	{
		return try_wait(timeout).value();
	}

private:
	int fd_ = -1;
};

} // namespace twheel

#endif // TWHEEL_LEASE_HPP

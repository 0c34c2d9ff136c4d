// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// twheel for C++: results of the calls that throw nothing
#ifndef TWHEEL_RESULT_HPP
#define TWHEEL_RESULT_HPP

#include <cerrno>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

namespace twheel {

// A value, or an errno.
template <typename T>
class [[nodiscard]] result {
public:
	static result success(T value) noexcept
	{
		result made;

		made.value_.emplace(std::move(value));
		return made;
	}

	static result failure(int error, const char *what) noexcept
	{
		result made;

		made.error_ = error;
		made.what_ = what;
		return made;
	}

	explicit operator bool() const noexcept { return !error_; }
	std::error_code error() const noexcept { return { error_, std::generic_category() }; }

	// The value; without one, throws std::system_error.
	T value()
	{
		if (error_)
			throw std::system_error(error(), what_);
		return std::move(*value_);
	}

	// The value, which must be there.
	T &operator*() noexcept { return *value_; }
	T *operator->() noexcept { return &*value_; }

private:
	result() noexcept = default;

	std::optional<T> value_;
	int error_ = 0;
	const char *what_ = "";
};

// The value of a call that has none
struct done {};

namespace detail {

// What may be wrong if the device cannot be opened
inline const char *why(int error) noexcept
{
	switch (error) {
	case ENOENT:
	case ENXIO:
		return "/dev/twheel (is the module twheel loaded?)";
	case EACCES:
		return "/dev/twheel (is the user in the group twheel?)";
	case EPROTO:
		return "/dev/twheel (the driver has another version of the interface)";
	default:
		return "/dev/twheel";
	}
}

// A result from what libtwheel returns
template <typename T, typename Value>
result<T> make(long returned, Value value, const char *what) noexcept
{
	if (returned < 0)
		return result<T>::failure(static_cast<int>(-returned), what);
	return result<T>::success(T{ value });
}

inline result<done> make(long returned, const char *what) noexcept
{
	return make<done>(returned, done{}, what);
}

inline result<bool> make_bool(long returned, const char *what) noexcept
{
	return make<bool>(returned, returned > 0, what);
}

inline result<std::size_t> make_count(long returned, const char *what) noexcept
{
	return make<std::size_t>(returned, static_cast<std::size_t>(returned), what);
}

} // namespace detail

} // namespace twheel

#endif // TWHEEL_RESULT_HPP

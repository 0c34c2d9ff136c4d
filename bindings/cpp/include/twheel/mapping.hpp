// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// twheel for C++: the table of deadlines and the ring of events
#ifndef TWHEEL_MAPPING_HPP
#define TWHEEL_MAPPING_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "operation.hpp"
#include "result.hpp"
#include "timer_set.hpp"

namespace twheel {

// What twheel_push_back() returns
enum class pushed {
	yes = TWHEEL_PUSHED,		// the timer has the new deadline
	before = TWHEEL_PUSHED_BEFORE,	// the timer keeps its deadline, which is as late or later
	no = TWHEEL_PUSHED_NOT		// the timer has expired or is gone
};

// A mapping of the table of deadlines. It keeps the open file, as a descriptor does.
class table {
public:
	// COUNT entries, or the whole table if it exists
	explicit table(const timer_set &set, std::size_t count = 0)
		: table(try_map(set, count).value())
	{
	}
	table(table &&other) noexcept : table_(std::exchange(other.table_, {})) {}
	table &operator=(table &&other) noexcept
	{
		table moved(std::move(other));

		std::swap(table_, moved.table_);
		return *this;
	}
	~table() { twheel_unmap_table(&table_); }

	static result<table> try_map(const timer_set &set, std::size_t count = 0) noexcept
	{
		::twheel_table made{};
		const int ret = twheel_map_table(set.fd(), count, &made);

		return ret ? result<table>::failure(-ret, "twheel_map_table") :
			     result<table>::success(table(made));
	}

	// The number of entries
	std::size_t size() const noexcept { return table_.count; }

	// Give a TWHEEL_SHARED timer a later deadline. A negative deadline is before any other.
	pushed push_back(handle timer, std::chrono::steady_clock::time_point when) const noexcept
	{
		const std::uint64_t ns = detail::reading(when);

		return static_cast<pushed>(twheel_push_back(
			&table_, static_cast<std::uint64_t>(timer),
			ns == detail::no_time ? 0 : ns));
	}

private:
	explicit table(const ::twheel_table &made) noexcept : table_(made) {}

	::twheel_table table_{};
};

// A mapping of the ring of events. It keeps the open file, as a descriptor does.
class ring {
public:
	// Room for COUNT events, or the whole ring if it exists
	explicit ring(const timer_set &set, std::size_t count = 0)
		: ring(try_map(set, count).value())
	{
	}
	ring(ring &&other) noexcept : events_(std::exchange(other.events_, {})) {}
	ring &operator=(ring &&other) noexcept
	{
		ring moved(std::move(other));

		std::swap(events_, moved.events_);
		return *this;
	}
	~ring() { twheel_unmap_ring(&events_); }

	static result<ring> try_map(const timer_set &set, std::size_t count = 0) noexcept
	{
		::twheel_events made{};
		const int ret = twheel_map_ring(set.fd(), count, &made);

		return ret ? result<ring>::failure(-ret, "twheel_map_ring") :
			     result<ring>::success(ring(made));
	}

	// The number of events that the ring holds
	std::size_t capacity() const noexcept { return events_.ring ? events_.mask + 1u : 0; }

	// The number of events to consume
	std::size_t size() const noexcept { return events_.ring ? twheel_ring_count(&events_) : 0; }

	// Whether the kernel may have more events: timer_set::wait() with 0 fills the ring.
	bool more() const noexcept { return events_.ring && twheel_ring_more(&events_); }

	// Call a function for each event that is there, at most LIMIT times, and return their
	// number. An event is consumed when the function has returned.
	template <typename Function>
	std::size_t consume(Function &&function, std::size_t limit = SIZE_MAX)
	{
		const std::size_t count = size() < limit ? size() : limit;

		for (std::size_t i = 0; i < count; i++) {
			function(*twheel_ring_peek(&events_, 0));
			twheel_ring_advance(&events_, 1);
		}
		return count;
	}

private:
	explicit ring(const ::twheel_events &made) noexcept : events_(made) {}

	::twheel_events events_{};
};

} // namespace twheel

#endif // TWHEEL_MAPPING_HPP

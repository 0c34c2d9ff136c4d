// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The scenario of bindings/README, by the C++ binding.
#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include <twheel.hpp>

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

constexpr std::size_t count = 100000, quarter = count / 4;
constexpr steady::time_point past(1ns);

void row(const char *name, std::size_t number)
{
	std::printf("%-16s%12zu\n", name, number);
}

struct scenario {
	twheel::timer_set set{ O_NONBLOCK };
	twheel::table table{ set, count };
	std::vector<twheel::handle> timers;
	steady::time_point start = steady::now();

	// One operation for each timer with number % 4 == TURN
	template <typename Function>
	std::vector<twheel::op> each(std::size_t turn, Function &&make) const
	{
		std::vector<twheel::op> ops;

		for (std::size_t i = turn; i < count; i += 4)
			ops.push_back(make(timers[i]));
		return ops;
	}

	// Carry out operations, and count those with this result.
	std::size_t submit(std::vector<twheel::op> &&ops, int result = 0)
	{
		return submit(ops, result);
	}
	std::size_t submit(std::vector<twheel::op> &ops, int result = 0)
	{
		set.submit(ops);
		return static_cast<std::size_t>(
			std::count_if(ops.begin(), ops.end(),
				      [=](const auto &op) { return op.result == result; }));
	}

	std::size_t push(std::size_t turn, steady::time_point when, twheel::pushed result) const
	{
		std::size_t found = 0;

		for (std::size_t i = turn; i < count; i += 4)
			found += table.push_back(timers[i], when) == result;
		return found;
	}

	// Give timers a deadline that has passed, and wait until all have expired.
	void expire(std::size_t turn)
	{
		submit(each(turn, [](auto timer) { return twheel::change_op(timer, past); }));
		while (set.info().unread < quarter) {
			set.wait(0s);
			std::this_thread::sleep_for(1ms);
		}
	}

	void arm()
	{
		std::vector<twheel::op> ops;

		for (std::size_t i = 0; i < count; i++) {
			ops.push_back(twheel::at(start + 1h, i));
			ops.back().flags |= TWHEEL_SHARED;
		}
		row("armed", submit(ops));
		for (const auto &op : ops)
			timers.push_back(twheel::handle{ op.handle });
	}

	void push_and_query()
	{
		const auto later = (start + 2h).time_since_epoch();
		std::size_t found = 0;

		row("pushed", push(0, start + 2h, twheel::pushed::yes));
		row("pushed-before", push(0, start + 1h, twheel::pushed::before));
		auto ops = each(0, [](auto timer) {
			return twheel::query_op(timer, TWHEEL_ABSTIME);
		});
		set.submit(ops);
		for (std::size_t i = 0; i < quarter; i++)
			found += std::chrono::nanoseconds(ops[i].time_ns) == later &&
				 ops[i].cookie == 4 * i;
		row("queried", found);
	}

	void cancel()
	{
		row("cancelled", submit(each(1, twheel::cancel_op)));
		row("gone", submit(each(1, twheel::cancel_op), -ENOENT));
	}

	void expire_and_read()
	{
		std::vector<twheel::event> events(1000);
		std::size_t expired = 0, sum = 0, early = 0;

		expire(2);
		while (const std::size_t got = set.read(events)) {
			for (std::size_t i = 0; i < got; i++) {
				sum += events[i].cookie;
				early += events[i].expired_ns < events[i].deadline_ns;
			}
			expired += got;
		}
		row("expired", expired);
		row("expired-sum", sum);
		row("early", early);
		row("pushed-not", push(2, start + 2h, twheel::pushed::no));
	}

	void retract()
	{
		twheel::event event;

		expire(3);
		row("retracted", submit(each(3, [this](auto timer) {
			return twheel::change_op(timer, start + 1h);
		}), TWHEEL_RETRACTED));
		row("events-left", set.read(&event, 1));
	}

	void drain_and_restore()
	{
		std::vector<twheel::op> ops(count);
		std::size_t sum = 0, expired = 0;

		row("pending", set.info().timers);
		ops.resize(set.drain(ops));
		for (auto &op : ops) {
			sum += op.cookie;
			op.time_ns = 0;
		}
		row("drained", ops.size());
		row("drained-sum", sum);
		set.resume();
		twheel::ring ring(set, 4096);
		row("restored", submit(ops));
		sum = 0;
		while (expired < ops.size()) {
			const auto got = ring.consume([&](const auto &event) {
				sum += event.cookie;
			});

			expired += got;
			if (!got)
				set.wait(1s);
		}
		row("ring", expired);
		row("ring-sum", sum);
		row("left", set.info().timers);
	}
};

} // namespace

int main()
{
	scenario s;

	s.arm();
	s.push_and_query();
	s.cancel();
	s.expire_and_read();
	s.retract();
	s.drain_and_restore();
	return 0;
}

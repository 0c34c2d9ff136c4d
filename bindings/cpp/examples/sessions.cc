// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Sessions that end when they fall silent. Three begin; every 20 ms, two of them are heard
// from, and their deadlines are pushed back in shared memory.
#include <cstdio>
#include <vector>

#include <twheel.hpp>

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

int main()
{
	constexpr auto patience = 3s;
	twheel::timer_set set;
	twheel::table deadlines(set, 100);
	std::vector<twheel::op> sessions;
	twheel::event event;

	for (unsigned int number = 0; number < 3; number++) {
		sessions.push_back(twheel::after(patience, number));
		sessions.back().flags |= TWHEEL_SHARED;
	}
	set.submit(sessions);
	while (!set.wait(20ms)) {
		const auto now = steady::now();

		for (unsigned int number = 0; number < 2; number++)
			deadlines.push_back(twheel::handle{ sessions[number].handle },
					    now + patience);
	}
	set.read(&event, 1);
	std::printf("session %llu is silent\n", static_cast<unsigned long long>(event.cookie));
	return event.cookie == 2 ? 0 : 1;
}

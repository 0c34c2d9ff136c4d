// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//
// twheel: /dev/twheel for C++17, header only, over libtwheel (-ltwheel)
//
//  - timer_set, timer, lease, table and ring own what they name. They can be moved, not copied, and
//    their destructors release it. A moved-from object is closed: its calls fail with EBADF.
//  - Each call has two forms. name() throws std::system_error with the errno. try_name() is
//    noexcept and returns a result, which holds the value or the errno.
//  - Durations and time points are those of std::chrono. They are rounded up to nanoseconds,
//    so that no timer is early. std::chrono::steady_clock stands for CLOCK_MONOTONIC and
//    std::chrono::system_clock for CLOCK_REALTIME, as in the C++ libraries of Linux;
//    boot_clock is CLOCK_BOOTTIME.
//  - A negative time of a timer, or one that is not a number, is an error: EINVAL. A time of
//    more than 2^63 - 1 ns, 292 years, counts as 2^63 - 1.
//  - A timeout may be as long as you like. A negative one does not wait, and one that is not a
//    number is EINVAL.
//  - Nothing allocates memory, except a std::system_error that is thrown.
//  - Any thread may use a timer_set or a table at any time. One thread at a time uses a ring,
//    and none uses an object that another moves or destroys.
//
// twheel/loop.hpp, which this header does not include, has the timers of an event loop.
//
// Operations, events and information are the structures of <linux/twheel.h>, which documents
// their fields. libtwheel.h documents the calls.
#ifndef TWHEEL_HPP
#define TWHEEL_HPP

#include "twheel/lease.hpp"
#include "twheel/mapping.hpp"
#include "twheel/operation.hpp"
#include "twheel/result.hpp"
#include "twheel/timer_set.hpp"

#endif // TWHEEL_HPP

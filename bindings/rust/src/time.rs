// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! Clocks, and times in nanoseconds.

use crate::sys;
use std::time::Duration;

/// The latest deadline that the kernel takes
const LATEST: u64 = i64::MAX as u64;

/// Nanoseconds, at most `LATEST`.
pub(crate) fn to_ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).map_or(LATEST, |ns| ns.min(LATEST))
}

/// A clock that deadlines are measured on.
///
/// A reading of a clock is a [`Duration`] since the clock's zero: boot, or 1970 for
/// `Realtime`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Clock {
    /// `CLOCK_MONOTONIC`, which stands still while the system is suspended
    Monotonic,
    /// `CLOCK_BOOTTIME`, which goes on while the system is suspended
    Boottime,
    /// `CLOCK_REALTIME`, which is set by people and by the network. A timer on this clock
    /// needs a deadline, not a delay.
    Realtime,
}

impl Clock {
    /// What the clock says now.
    pub fn now(self) -> Duration {
        sys::clock_gettime(self.id())
    }

    pub(crate) fn id(self) -> libc::clockid_t {
        match self {
            Clock::Monotonic => libc::CLOCK_MONOTONIC,
            Clock::Boottime => libc::CLOCK_BOOTTIME,
            Clock::Realtime => libc::CLOCK_REALTIME,
        }
    }

    /// The clock with this number. `None` if the crate does not know it.
    pub(crate) fn from_id(id: u32) -> Option<Clock> {
        [Clock::Monotonic, Clock::Boottime, Clock::Realtime]
            .into_iter()
            .find(|clock| clock.id() as u32 == id)
    }
}

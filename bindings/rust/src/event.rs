// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! Events, and buffers for them.

use crate::abi::{TwheelEvent, EVENT_CLOCK_SET, EVENT_LEASE_CLOSED, EVENT_TIMER};
use crate::{Clock, Timer};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// What an event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A timer has expired.
    Timer,
    /// `CLOCK_REALTIME` was set, see [`Set::watch_clock`](crate::Set::watch_clock).
    ClockSet,
    /// A newer kernel's event, which this version of the crate does not know: ignore it.
    Unknown(u32),
}

/// An event, usually the expiry of a timer.
///
/// A one-shot timer ends when its event is delivered. Events come in the order of the
/// ticks at which the timers came due. This is not always the order of their deadlines.
#[repr(transparent)]
#[derive(Clone, Copy, Default)]
pub struct Event(pub(crate) TwheelEvent);

impl Event {
    /// What the event tells.
    pub fn kind(&self) -> EventKind {
        match self.0.r#type {
            EVENT_TIMER => EventKind::Timer,
            EVENT_CLOCK_SET => EventKind::ClockSet,
            other => EventKind::Unknown(other),
        }
    }

    /// The timer that expired. `None` if the event is not a timer's.
    pub fn timer(&self) -> Option<Timer> {
        Timer::from_raw(self.0.handle)
    }

    /// The timer's cookie.
    pub fn cookie(&self) -> u64 {
        self.0.cookie
    }

    /// The deadline, on the timer's clock. If the event stands for several deadlines, the
    /// first of them.
    pub fn deadline(&self) -> Duration {
        Duration::from_nanos(self.0.deadline_ns)
    }

    /// When the tick began at which the timer came due. Never before
    /// [`deadline`](Event::deadline).
    pub fn expired(&self) -> Duration {
        Duration::from_nanos(self.0.expired_ns)
    }

    /// How many deadlines this event stands for: more than 1 if a periodic timer's event was
    /// delivered late.
    pub fn count(&self) -> u64 {
        self.0.count
    }

    /// Whether the timer expired because the last copy of its [`Lease`](crate::Lease) was
    /// closed: usually because the holder has died. [`deadline`](Event::deadline) is then the
    /// time of the close, unless the deadline was earlier.
    pub fn lease_closed(&self) -> bool {
        self.0.flags & EVENT_LEASE_CLOSED != 0
    }

    /// The timer's clock. `None` if this version of the crate does not know the clock.
    pub fn clock(&self) -> Option<Clock> {
        Clock::from_id(self.0.clockid)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("kind", &self.kind())
            .field("timer", &self.timer())
            .field("cookie", &self.cookie())
            .field("deadline", &self.deadline())
            .field("expired", &self.expired())
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

/// A buffer for events, to be used again and again. It derefs to the slice of events that
/// the last [`Set::read`](crate::Set::read) or [`Ring::take`](crate::Ring::take) put there.
#[derive(Clone, Debug)]
pub struct Events {
    pub(crate) buffer: Box<[Event]>,
    pub(crate) filled: usize,
}

impl Events {
    /// A buffer for this many events, at least 1.
    pub fn with_capacity(capacity: usize) -> Events {
        Events { buffer: vec![Event::default(); capacity.max(1)].into(), filled: 0 }
    }

    /// How many events fit in.
    pub fn capacity(&self) -> usize {
        self.buffer.len()
    }
}

impl Deref for Events {
    type Target = [Event];

    fn deref(&self) -> &[Event] {
        &self.buffer[..self.filled]
    }
}

impl DerefMut for Events {
    fn deref_mut(&mut self) -> &mut [Event] {
        &mut self.buffer[..self.filled]
    }
}

impl<'a> IntoIterator for &'a Events {
    type Item = &'a Event;
    type IntoIter = std::slice::Iter<'a, Event>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

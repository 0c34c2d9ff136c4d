// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! Timers, operations on them, and their results.

use crate::abi::{self, TwheelOp};
use crate::time::to_ns;
use crate::Clock;
use std::fmt;
use std::io;
use std::num::NonZeroU64;
use std::time::Duration;

/// The handle of a timer, a name within its set. It is a plain number: the timer may be gone,
/// and its operations then fail with [`NotFound`](io::ErrorKind::NotFound). The kernel does
/// not give the same number to another timer of the set before 2⁴⁰ more adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Timer(NonZeroU64);

impl Timer {
    /// The number, for another process or another language.
    pub fn to_raw(self) -> u64 {
        self.0.get()
    }

    /// The timer with this number. `None` for 0, which is no timer.
    pub fn from_raw(handle: u64) -> Option<Timer> {
        NonZeroU64::new(handle).map(Timer)
    }
}

/// The state in which an operation found a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The deadline had not come.
    Pending,
    /// The timer had expired, and its event was unread. To change or to cancel the timer
    /// withdraws the event: it is never delivered.
    Expired,
}

/// A timer, as a query found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// Pending, or expired with an unread event
    pub state: State,
    /// The cookie of the timer
    pub cookie: u64,
    /// The deadline, a reading of the timer's clock
    pub deadline: Duration,
    /// The period. `None` for a one-shot timer
    pub period: Option<Duration>,
    /// The timer's clock. `None` if this version of the crate does not know the clock
    pub clock: Option<Clock>,
    /// The group of the timer, or 0
    pub group: u64,
    /// How late the timer may expire
    pub window: Duration,
    /// Whether the timer has an entry in the [`Table`](crate::Table)
    pub shared: bool,
    /// Whether the timer has a [`Lease`](crate::Lease)
    pub leased: bool,
}

/// An operation on one timer, or on a group.
///
/// [`Set::add`](crate::Set::add) takes an operation that adds a timer. A slice of operations
/// of any kind goes to [`Set::submit`](crate::Set::submit), which gives each its result:
///
/// ```no_run
/// # use std::time::Duration;
/// # use twheel::{Op, Set, State};
/// # fn main() -> std::io::Result<()> {
/// let set = Set::open()?;
/// let mut ops: Vec<Op> = (0..1000).map(|i| Op::after(Duration::from_secs(60), i)).collect();
/// set.submit(&mut ops)?;
/// let timers = ops.iter().map(Op::timer).collect::<std::io::Result<Vec<_>>>()?;
///
/// let mut ops: Vec<Op> = timers.iter().map(|&timer| Op::cancel(timer)).collect();
/// set.submit(&mut ops)?;
/// assert!(ops.iter().all(|op| matches!(op.state(), Ok(State::Pending))));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Op(pub(crate) TwheelOp);

impl Op {
    /// Add a timer on `CLOCK_MONOTONIC` that expires after a delay. The delay counts from the
    /// call that adds the timer. The cookie comes back with the timer's events.
    pub fn after(delay: Duration, cookie: u64) -> Op {
        Op(TwheelOp {
            op: abi::OP_ADD,
            clockid: Clock::Monotonic.id() as u32,
            time_ns: to_ns(delay),
            cookie,
            ..Default::default()
        })
    }

    /// Add a timer that expires when a clock says `deadline`.
    pub fn at(clock: Clock, deadline: Duration, cookie: u64) -> Op {
        let mut op = Op::after(deadline, cookie);
        op.0.clockid = clock.id() as u32;
        op.0.flags = abi::ABSTIME;
        op
    }

    /// Add a periodic timer. It expires first after one period. The add fails with `EINVAL`
    /// if the period is zero, or shorter than [`Info::min_period`](crate::Info::min_period).
    pub fn every(period: Duration, cookie: u64) -> Op {
        // Zero would mean a one-shot timer.
        Op::after(period, cookie).with_period(period.max(Duration::from_nanos(1)))
    }

    fn on(timer: Timer, op: u32, flags: u32, time: Duration) -> Op {
        let (handle, time_ns) = (timer.to_raw(), to_ns(time));
        Op(TwheelOp { op, flags, handle, time_ns, ..Default::default() })
    }

    /// Give a timer a new deadline: a delay from now.
    pub fn change(timer: Timer, delay: Duration) -> Op {
        Op::on(timer, abi::OP_CHANGE, 0, delay)
    }

    /// Give a timer a new deadline: a reading of the timer's clock.
    pub fn change_at(timer: Timer, deadline: Duration) -> Op {
        Op::on(timer, abi::OP_CHANGE, abi::ABSTIME, deadline)
    }

    /// End a timer.
    pub fn cancel(timer: Timer) -> Op {
        Op::on(timer, abi::OP_CANCEL, 0, Duration::ZERO)
    }

    /// Look at a timer: [`status`](Op::status) is the result.
    pub fn query(timer: Timer) -> Op {
        Op::on(timer, abi::OP_QUERY, abi::ABSTIME, Duration::ZERO)
    }

    /// End all timers of a group.
    pub fn cancel_group(group: u64) -> Op {
        Op(TwheelOp { op: abi::OP_CANCEL_GROUP, group, ..Default::default() })
    }

    /// Turn an operation that adds a timer into one that changes `timer`, and adds a timer
    /// only if `timer` is gone or `None`.
    #[must_use]
    pub fn or_change(mut self, timer: Option<Timer>) -> Op {
        self.0.op = abi::OP_UPSERT;
        self.0.handle = timer.map_or(0, Timer::to_raw);
        self
    }

    /// Make the timer periodic. The delay or deadline is that of the first expiry.
    #[must_use]
    pub fn with_period(mut self, period: Duration) -> Op {
        self.0.period_ns = to_ns(period);
        self
    }

    /// Give the timer another delay from now, instead of its delay or deadline.
    #[must_use]
    pub fn with_delay(mut self, delay: Duration) -> Op {
        self.0.time_ns = to_ns(delay);
        self.0.flags &= !abi::ABSTIME;
        self
    }

    /// Put the timer into a group, which [`Set::cancel_group`](crate::Set::cancel_group) ends
    /// as a whole. 0 is no group.
    #[must_use]
    pub fn with_group(mut self, group: u64) -> Op {
        self.0.group = group;
        self
    }

    /// Let the timer expire up to this much later than its deadline. Timers whose windows
    /// overlap expire together, and the system wakes up less often.
    #[must_use]
    pub fn with_window(mut self, window: Duration) -> Op {
        self.0.window_ns = to_ns(window);
        self
    }

    /// A record of [`Set::list`](crate::Set::list) or [`Set::drain`](crate::Set::drain): the
    /// timer that it adds gets the handle that the timer of the record had. The add fails with
    /// `EEXIST` if the set has a timer with that handle.
    #[must_use]
    pub fn keep_handle(mut self) -> Op {
        self.0.flags |= abi::RESTORE | abi::KEEP_HANDLE;
        self
    }

    /// Give the timer an entry in the [`Table`](crate::Table), which must be mapped.
    #[must_use]
    pub fn shared(mut self) -> Op {
        self.0.flags |= abi::SHARED;
        self
    }

    /// A periodic timer: each missed deadline has an event of its own. Otherwise one event
    /// stands for all deadlines missed by its delivery.
    #[must_use]
    pub fn each(mut self) -> Op {
        self.0.flags |= abi::EACH;
        self
    }

    /// A periodic timer: the next deadline is one period after the delivery of the event.
    #[must_use]
    pub fn restart(mut self) -> Op {
        self.0.flags |= abi::RESTART;
        self
    }

    /// The result after [`Set::submit`](crate::Set::submit), as `linux/twheel.h` defines it
    /// for each operation.
    pub fn result(&self) -> io::Result<u32> {
        u32::try_from(self.0.result)
            .map_err(|_| io::Error::from_raw_os_error(self.0.result.wrapping_neg()))
    }

    /// The state in which a change, a cancel or a query found the timer.
    pub fn state(&self) -> io::Result<State> {
        self.result().map(|found| if found == 0 { State::Pending } else { State::Expired })
    }

    /// The timer that an add has made, or that the operation is about.
    pub fn timer(&self) -> io::Result<Timer> {
        self.result()?;
        Timer::from_raw(self.0.handle).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    /// What a query found, or what a record of [`Set::list`](crate::Set::list) says.
    pub fn status(&self) -> io::Result<Status> {
        let op = &self.0;
        Ok(Status {
            state: self.state()?,
            cookie: op.cookie,
            deadline: Duration::from_nanos(op.time_ns),
            period: (op.period_ns != 0).then(|| Duration::from_nanos(op.period_ns)),
            clock: Clock::from_id(op.clockid),
            group: op.group,
            window: Duration::from_nanos(op.window_ns),
            shared: op.flags & abi::SHARED != 0,
            leased: op.flags & abi::LEASED != 0,
        })
    }

    /// The cookie.
    pub fn cookie(&self) -> u64 {
        self.0.cookie
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let op = &self.0;
        f.debug_struct("Op")
            .field("op", &op.op)
            .field("flags", &op.flags)
            .field("clockid", &op.clockid)
            .field("result", &op.result)
            .field("handle", &op.handle)
            .field("cookie", &op.cookie)
            .field("time_ns", &op.time_ns)
            .field("period_ns", &op.period_ns)
            .field("group", &op.group)
            .field("window_ns", &op.window_ns)
            .finish()
    }
}

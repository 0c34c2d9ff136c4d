// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! A set of timers: an open file of the device.

use crate::abi::{self, TwheelInfo, TwheelLease};
use crate::op::{Op, State, Status, Timer};
use crate::sys::{self, Request};
use crate::time::to_ns;
use crate::{Events, Lease, List, OnClose, Ring, Table};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::io::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;
use std::time::Duration;

/// A set of timers: an open file of `/dev/twheel`.
///
/// Any thread may call any method at any time.
#[derive(Debug)]
pub struct Set(File);

/// What [`Set::upsert`] has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upsert {
    /// The timer has the new deadline. It was in this state before.
    Changed(State),
    /// The timer was gone. This is a new one.
    Added(Timer),
}

/// Whom a fence signals: [`Set::fence`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The process with this number
    Process(u32),
    /// The process group with this number
    Group(u32),
}

/// What [`Set::cancel_group`] has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupEnd {
    /// How many timers have ended
    pub ended: u32,
    /// How many of them had expired: their unread events were withdrawn.
    pub retracted: u64,
}

impl Set {
    /// Open `/dev/twheel`: a set without timers.
    ///
    /// # Errors
    ///
    /// `NotFound` if the module is not loaded. `PermissionDenied` if the user may not use the
    /// device. `Unsupported` if the driver has another major version of the interface. The error
    /// has the path, and says what may be wrong.
    pub fn open() -> io::Result<Set> {
        Set::open_path("/dev/twheel")
    }

    /// Open the device by another name.
    pub fn open_path(path: impl AsRef<Path>) -> io::Result<Set> {
        let path = path.as_ref();
        let file = OpenOptions::new().read(true).write(true).open(path);
        file.and_then(|file| Set::try_from(OwnedFd::from(file)))
            .map_err(|error| explain(&error, path))
    }

    /// Another descriptor of the same open file, with the same timers and events.
    pub fn try_clone(&self) -> io::Result<Set> {
        self.0.try_clone().map(Set)
    }

    /// The abilities of the driver, and how many timers there are.
    pub fn info(&self) -> io::Result<Info> {
        sys::info(self.as_fd()).map(Info)
    }

    /// Add a timer, by an operation from [`Op::after`], [`Op::at`] or [`Op::every`].
    ///
    /// # Errors
    ///
    /// `EINVAL`, `ESHUTDOWN` after [`drain`](Set::drain), `EDQUOT` if the set or the user has
    /// as many timers as it may, `ENOSPC` if the table is full or not mapped, `ENOMEM`;
    /// `EEXIST` if a handle that the timer is to keep is taken.
    pub fn add(&self, mut op: Op) -> io::Result<Timer> {
        sys::operate(self.as_fd(), Request::Add, &mut op)?;
        op.timer()
    }

    /// Give a timer a new deadline, earlier or later: a delay from now. Returns the state in
    /// which the timer was. If it had expired, its unread event was withdrawn.
    pub fn change(&self, timer: Timer, delay: Duration) -> io::Result<State> {
        self.find(Request::Change, Op::change(timer, delay))?.state()
    }

    /// Give a timer a new deadline: a reading of the timer's clock.
    pub fn change_at(&self, timer: Timer, deadline: Duration) -> io::Result<State> {
        self.find(Request::Change, Op::change_at(timer, deadline))?.state()
    }

    /// End a timer. Returns the state in which the timer was. If it had expired, its unread
    /// event was withdrawn.
    pub fn cancel(&self, timer: Timer) -> io::Result<State> {
        self.find(Request::Cancel, Op::cancel(timer))?.state()
    }

    /// Look at a timer.
    pub fn query(&self, timer: Timer) -> io::Result<Status> {
        self.find(Request::Query, Op::query(timer))?.status()
    }

    /// Carry out an operation, with its result in the operation.
    fn find(&self, request: Request, mut op: Op) -> io::Result<Op> {
        op.0.result = sys::operate(self.as_fd(), request, &mut op)? as i32;
        Ok(op)
    }

    /// Change a timer, or add it by `op` if it is gone or `None`.
    pub fn upsert(&self, timer: Option<Timer>, op: Op) -> io::Result<Upsert> {
        let op = self.find(Request::Upsert, op.or_change(timer))?;
        if op.0.result == abi::ADDED {
            return op.timer().map(Upsert::Added);
        }
        op.state().map(Upsert::Changed)
    }

    /// End all timers of a group. `NotFound` if it has none.
    pub fn cancel_group(&self, group: u64) -> io::Result<GroupEnd> {
        let op = self.find(Request::CancelGroup, Op::cancel_group(group))?;
        Ok(GroupEnd { ended: op.result()?, retracted: op.0.time_ns })
    }

    /// Carry out operations in their order, each of which gets its result
    /// ([`Op::result`]). The call goes on after signals.
    ///
    /// Returns how many operations were carried out. If there are fewer than in the slice, an
    /// error followed: to submit the rest returns it.
    pub fn submit(&self, ops: &mut [Op]) -> io::Result<usize> {
        let mut done = 0;
        while done < ops.len() {
            match sys::batch(self.as_fd(), &mut ops[done..]) {
                Ok(more) => done += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if done == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(done)
    }

    /// Refuse new timers from now on, and take up to `most` pending timers back: as
    /// operations that would add them again. The result is empty when no timer is pending.
    ///
    /// Expired timers stay for [`read`](Set::read).
    pub fn drain(&self, most: usize) -> io::Result<Vec<Op>> {
        const CHUNK: usize = 4096;
        let mut ops = Vec::new();
        let mut done = 0;
        while done < most {
            ops.resize(most.min(done + CHUNK), Op::default());
            match sys::drain(self.as_fd(), &mut ops[done..]) {
                Ok(0) => break,
                Ok(more) => done += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if done == 0 => return Err(error),
                // The caller must not lose the timers that have been taken back.
                Err(_) => break,
            }
        }
        ops.truncate(done);
        Ok(ops)
    }

    /// Accept new timers again.
    pub fn resume(&self) -> io::Result<()> {
        sys::resume(self.as_fd())
    }

    /// Look at all timers of the set. The iterator gives a record for each: an operation that
    /// would add the timer again. [`Op::status`] says what the timer is.
    ///
    /// A timer that is there from beginning to end is listed exactly once, whatever changes
    /// meanwhile.
    pub fn list(&self) -> List<'_> {
        List::new(self)
    }

    /// Make a lease: a descriptor by which another process pushes the deadline of a timer
    /// back, to at most `cap` from now. See [`Lease`].
    ///
    /// # Errors
    ///
    /// `NotFound` if the timer is not pending. `EINVAL` if the timer is periodic, shared or not
    /// on `CLOCK_MONOTONIC`. `EBUSY` if it has a lease. `EDQUOT`, `EMFILE`, `ENFILE`, `ENOMEM`.
    pub fn lease(&self, timer: Timer, cap: Duration, on_close: OnClose) -> io::Result<Lease> {
        let (handle, cap_ns, flags) = (timer.to_raw(), to_ns(cap), on_close.flags());
        let lease = TwheelLease { handle, cap_ns, flags, ..Default::default() };
        sys::lease(self.as_fd(), lease).map(Lease::from)
    }

    /// Have the kernel send a signal when a timer expires, whatever programs do then. Use a set
    /// with one timer for this, and do not read its events. A new fence takes the place of an
    /// older one. libtwheel(3), "Fences", has the limits.
    ///
    /// # Errors
    ///
    /// `ESRCH` if there is no such process or group. `EPERM` if the program may not signal it.
    /// `EBUSY` if an event is unread, for which no signal would come. `EINVAL` if the number
    /// or the signal is none.
    pub fn fence(&self, owner: Owner, signal: i32) -> io::Result<()> {
        let invalid = || io::Error::from_raw_os_error(libc::EINVAL);
        let (number, sign) = match owner {
            Owner::Process(number) => (number, 1),
            Owner::Group(number) => (number, -1),
        };
        let number = i32::try_from(number).map_err(|_| invalid())? * sign;
        // kill() takes 0 for the own group and -1 for all processes.
        if number == 0 || number == -1 || !(1..=64).contains(&signal) {
            return Err(invalid());
        }
        sys::check_target(number)?;
        self.check_unread()?;
        sys::set_fence(self.as_fd(), number, signal, true)?;
        // A timer may have expired before the signals were on.
        self.check_unread().or_else(|error| self.end_fence().and(Err(error)))
    }

    /// Send no signal any more.
    pub fn end_fence(&self) -> io::Result<()> {
        sys::set_fence(self.as_fd(), 0, 0, false)
    }

    fn check_unread(&self) -> io::Result<()> {
        match sys::info(self.as_fd())?.unread {
            0 => Ok(()),
            _ => Err(io::Error::from_raw_os_error(libc::EBUSY)),
        }
    }

    /// Read as many events as there are and as fit into the buffer, and return how many. If
    /// there is none, the call waits for the first.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if there is no event and the set is
    /// [nonblocking](Set::set_nonblocking). `Interrupted` after a signal. `EBUSY` if events
    /// go to a [`Ring`].
    pub fn read(&self, events: &mut Events) -> io::Result<usize> {
        events.filled = 0;
        events.filled = sys::read(self.as_fd(), &mut events.buffer)?;
        Ok(events.filled)
    }

    /// Wait until there are events. Returns false after the timeout. `None` is no timeout. Fails
    /// with `Interrupted` after a signal.
    pub fn wait(&self, timeout: Option<Duration>) -> io::Result<bool> {
        sys::poll(self.as_fd(), libc::POLLIN, timeout)
    }

    /// Whether [`read`](Set::read) fails with `WouldBlock` instead of waiting. The setting
    /// belongs to the open file.
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        sys::set_nonblocking(self.as_fd(), nonblocking)
    }

    /// Have an eventfd signalled when timers expire, or no longer.
    pub fn signal_eventfd(&self, eventfd: Option<BorrowedFd<'_>>) -> io::Result<()> {
        sys::eventfd(self.as_fd(), eventfd.map_or(-1, |fd| fd.as_raw_fd()))
    }

    /// Ask for an event whenever `CLOCK_REALTIME` is set.
    pub fn watch_clock(&self) -> io::Result<()> {
        sys::clock_set(self.as_fd())
    }

    /// Map the table of deadlines, see [`Table::map`].
    pub fn table(&self, entries: usize) -> io::Result<Table<&Set>> {
        Table::map(self, entries)
    }

    /// Map the ring of events, see [`Ring::map`].
    pub fn ring(&self, entries: usize) -> io::Result<Ring<&Set>> {
        Ring::map(self, entries)
    }
}

/// The error of opening the device: it has the path, and says what may be wrong.
fn explain(error: &io::Error, path: &Path) -> io::Error {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => "; is the module twheel loaded?",
        io::ErrorKind::PermissionDenied => "; is the user in the group twheel?",
        io::ErrorKind::Unsupported => "; the driver has another version of the interface",
        _ => "",
    };
    io::Error::new(error.kind(), format!("{}: {error}{hint}", path.display()))
}

/// A descriptor of the device that another process or a service manager has passed on. It
/// must be open for reading and writing to map the table or the ring.
impl TryFrom<OwnedFd> for Set {
    type Error = io::Error;

    fn try_from(fd: OwnedFd) -> io::Result<Set> {
        let set = Set(File::from(fd));
        if set.info()?.0.abi_major != abi::ABI_MAJOR {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(set)
    }
}

impl From<Set> for OwnedFd {
    fn from(set: Set) -> OwnedFd {
        set.0.into()
    }
}

impl AsFd for Set {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Set {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// Abilities of a driver, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u64);

impl Features {
    /// Whether the driver has all of these abilities.
    pub fn contains(self, abilities: Features) -> bool {
        self.0 & abilities.0 == abilities.0
    }

    /// The bits, as in `linux/twheel.h`.
    pub fn bits(self) -> u64 {
        self.0
    }
}

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)+) => {
        impl Features {
            $($(#[$doc])* pub const $name: Features = Features(1 << $bit);)+
        }

        /// The names of the header, and their values.
        #[cfg(test)]
        pub(crate) fn feature_numbers() -> Vec<(&'static str, u64)> {
            vec![$((concat!("TWHEEL_FEATURE_", stringify!($name)), Features::$name.0)),+]
        }
    };
}

features! {
    /// Batches: [`Set::submit`]
    BATCH = 0;
    /// Periodic timers: [`Op::every`]
    PERIODIC = 1;
    /// An operation on an expired timer withdraws its unread event: [`State::Expired`]
    RETRACT = 2;
    /// [`Set::upsert`]
    UPSERT = 3;
    /// Groups: [`Op::with_group`]
    GROUP = 4;
    /// [`Op::each`] and [`Op::restart`]
    MISSED = 5;
    /// [`Set::drain`]
    DRAIN = 6;
    /// [`Set::signal_eventfd`]
    EVENTFD = 7;
    /// `F_SETOWN` and `O_ASYNC`
    SIGIO = 8;
    /// The [`Table`]
    TABLE = 9;
    /// The [`Ring`]
    RING = 10;
    /// [`Set::watch_clock`]
    CLOCK_SET = 11;
    /// [`Set::lease`]
    LEASE = 12;
    /// [`Op::with_window`]
    WINDOW = 13;
    /// [`Set::list`]
    LIST = 14;
    /// [`Op::keep_handle`]
    KEEP_HANDLE = 15;
    /// The calls as commands of io_uring, which this crate does not make
    URING = 16;
}

/// What the driver can do, and how many timers there are.
#[derive(Clone, Copy)]
pub struct Info(TwheelInfo);

impl Info {
    /// Major and minor version of the driver's interface.
    pub fn abi(&self) -> (u32, u32) {
        (self.0.abi_major, self.0.abi_minor)
    }

    /// The abilities of the driver.
    pub fn features(&self) -> Features {
        Features(self.0.features)
    }

    /// The length of a tick.
    pub fn resolution(&self) -> Duration {
        Duration::from_nanos(self.0.resolution_ns.into())
    }

    /// The shortest period.
    pub fn min_period(&self) -> Duration {
        Duration::from_nanos(self.0.min_period_ns)
    }

    /// How many timers the set has: pending, or expired with an unread event.
    pub fn timers(&self) -> u64 {
        self.0.timers
    }

    /// How many timers of the set have an unread event.
    pub fn unread(&self) -> u64 {
        self.0.unread
    }

    /// How many timers the set may have.
    pub fn max_timers(&self) -> u64 {
        self.0.max_timers
    }

    /// How many timers all sets of the user have.
    pub fn timers_user(&self) -> u64 {
        self.0.timers_user
    }

    /// How many timers all sets of a user may have together. `None` if there is no limit.
    pub fn max_timers_user(&self) -> Option<u64> {
        (self.0.max_timers_user != u64::MAX).then_some(self.0.max_timers_user)
    }

    /// The size of the table of deadlines; 0 before it was mapped.
    pub fn table_entries(&self) -> usize {
        self.0.table_entries as usize
    }

    /// The size of the ring of events; 0 before it was mapped.
    pub fn ring_entries(&self) -> usize {
        self.0.ring_entries as usize
    }
}

impl std::fmt::Debug for Info {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Info")
            .field("abi", &self.abi())
            .field("features", &self.features())
            .field("timers", &self.timers())
            .field("unread", &self.unread())
            .field("max_timers", &self.max_timers())
            .finish_non_exhaustive()
    }
}

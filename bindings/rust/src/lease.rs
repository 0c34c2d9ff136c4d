// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! Leases: another process pushes a deadline back.

use crate::abi::LEASE_EXPIRE_ON_CLOSE;
use crate::sys;
use crate::time::to_ns;
use std::io;
use std::os::unix::io::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What becomes of the timer when the last copy of its lease is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnClose {
    /// The timer goes on to its deadline.
    Wait,
    /// The timer expires at once: [`Event::lease_closed`](crate::Event::lease_closed).
    Expire,
}

impl OnClose {
    pub(crate) fn flags(self) -> u32 {
        match self {
            OnClose::Wait => 0,
            OnClose::Expire => LEASE_EXPIRE_ON_CLOSE,
        }
    }
}

/// A lease on one timer: a descriptor that can push the timer's deadline back, up to a cap from
/// now, and nothing else.
///
/// The owner of the timer makes the lease by [`Set::lease`](crate::Set::lease), and gives it to
/// the holder: as the standard input of a child, or by `SCM_RIGHTS`. While the holder lives and
/// works, it pushes the deadline back. If it dies or hangs, the owner gets the timer's event.
///
/// ```no_run
/// use std::process::{Command, Stdio};
/// use std::time::Duration;
/// use twheel::{Op, OnClose, Set};
///
/// # fn main() -> std::io::Result<()> {
/// let set = Set::open()?;
/// let limit = Duration::from_secs(5);
/// let timer = set.add(Op::after(limit, 1))?;
/// let lease = set.lease(timer, limit, OnClose::Expire)?;
/// // Each line that the worker writes to its standard input is a heartbeat.
/// let worker = Command::new("worker").stdin(Stdio::from(lease)).spawn()?;
/// # Ok(())
/// # }
/// ```
///
/// A lease ends when its timer expires or is cancelled, or when the last copy of the lease is
/// closed. The end is final: [`NotFound`](io::ErrorKind::NotFound).
#[derive(Debug)]
pub struct Lease(OwnedFd);

/// The lease of the environment has an owner.
static TAKEN: AtomicBool = AtomicBool::new(false);

fn invalid<E>(_: E) -> io::Error {
    io::ErrorKind::InvalidInput.into()
}

/// A variable of the environment: digits and nothing else
fn number_of(name: &str) -> io::Result<u64> {
    let unset = || io::Error::new(io::ErrorKind::NotFound, format!("{name} is not set"));
    let text = std::env::var_os(name).ok_or_else(unset)?;
    let text = text.to_str().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    text.ok_or_else(|| invalid(()))?.parse().map_err(invalid)
}

impl Lease {
    /// Take the lease that `twheelctl run` has given the program, and its length: a holder pushes
    /// about three times in this time. The descriptor becomes close-on-exec.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none. `InvalidInput` if a variable is no number. `EBADF` or
    /// `ENOTTY` if the descriptor is no lease. `AlreadyExists` if the program has taken it.
    pub fn from_env() -> io::Result<(Lease, Duration)> {
        let fd = number_of("TWHEEL_LEASE_FD")?.try_into().map_err(invalid)?;
        let length = Duration::from_nanos(number_of("TWHEEL_LEASE_NS")?);
        if TAKEN.swap(true, Ordering::Relaxed) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let lease = sys::take_lease(fd).map(Lease);
        TAKEN.store(lease.is_ok(), Ordering::Relaxed);
        Ok((lease?, length))
    }

    /// Push the deadline back to the cap from now. If it is later already, nothing changes.
    /// A `write` of one or more bytes to the descriptor does the same.
    pub fn push(&self) -> io::Result<()> {
        sys::lease_push(self.as_fd())
    }

    /// Push the deadline back to this much from now, at most the cap.
    pub fn push_by(&self, delay: Duration) -> io::Result<()> {
        sys::lease_push_by(self.as_fd(), to_ns(delay))
    }

    /// How far the deadline is ahead.
    pub fn left(&self) -> io::Result<Duration> {
        sys::lease_left(self.as_fd()).map(Duration::from_nanos)
    }

    /// Wait until the lease has ended. Returns false after the timeout. `None` is no timeout.
    /// Fails with `Interrupted` after a signal.
    pub fn wait_for_end(&self, timeout: Option<Duration>) -> io::Result<bool> {
        sys::poll(self.as_fd(), 0, timeout)
    }

    /// Another descriptor of the same lease.
    pub fn try_clone(&self) -> io::Result<Lease> {
        self.0.try_clone().map(Lease)
    }
}

/// A lease that another process has passed on.
impl From<OwnedFd> for Lease {
    fn from(fd: OwnedFd) -> Lease {
        Lease(fd)
    }
}

impl From<Lease> for OwnedFd {
    fn from(lease: Lease) -> OwnedFd {
        lease.0
    }
}

impl From<Lease> for std::process::Stdio {
    fn from(lease: Lease) -> std::process::Stdio {
        lease.0.into()
    }
}

impl AsFd for Lease {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Lease {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

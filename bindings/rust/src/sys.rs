// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! System calls and mappings: all unsafe code of the crate, behind safe functions.
#![allow(unsafe_code)]

use crate::abi::{
    ioc, TwheelBatch, TwheelDrain, TwheelEventfd, TwheelInfo, TwheelLease, TwheelList,
    ABSTIME, DRAIN_RESUME,
};
use crate::event::Event;
use crate::op::Op;
use std::io;
use std::mem::{size_of, MaybeUninit};
use std::os::unix::io::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

const F_SETSIG: libc::c_int = 10; // missing in the crate libc

/// The result of a system call that returns -1 and sets errno.
fn check<T: PartialOrd + Default>(result: T) -> io::Result<T> {
    if result < T::default() {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}

/// # Safety
///
/// `argument` is what the request wants: a valid structure of its type, or 0. A descriptor of
/// another driver refuses the request, which encodes a number and a size of its own.
unsafe fn ioctl(fd: BorrowedFd<'_>, request: u32, argument: usize) -> io::Result<u32> {
    // SAFETY: the descriptor is open as long as it is borrowed. The kernel reads and writes
    // what the argument points to, which is valid by the contract of this function.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), request as _, argument) };
    check(result).map(|result| result as u32)
}

pub(crate) fn info(fd: BorrowedFd<'_>) -> io::Result<TwheelInfo> {
    let mut info = TwheelInfo::default();
    // SAFETY: the request fills in a TwheelInfo.
    unsafe { ioctl(fd, ioc::INFO, std::ptr::addr_of_mut!(info) as usize) }?;
    Ok(info)
}

/// The ioctls that take one operation
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Request {
    Add = ioc::ADD,
    Change = ioc::CHANGE,
    Cancel = ioc::CANCEL,
    Query = ioc::QUERY,
    Upsert = ioc::UPSERT,
    CancelGroup = ioc::CANCEL_GROUP,
}

/// Carry out one operation. Returns its result.
pub(crate) fn operate(fd: BorrowedFd<'_>, request: Request, op: &mut Op) -> io::Result<u32> {
    // The result may be of an earlier batch, or of a list.
    (op.0.op, op.0.result) = (0, 0);
    // SAFETY: these requests take a TwheelOp, which Op wraps.
    unsafe { ioctl(fd, request as u32, op as *mut Op as usize) }
}

/// Operations in one system call: no more than any driver takes, and enough to make the cost
/// of the call negligible
const CALL_MAX: usize = 4096;

fn array(ops: &mut [Op]) -> TwheelBatch {
    let count = ops.len().min(CALL_MAX);
    TwheelBatch {
        ops: ops.as_mut_ptr() as usize as u64,
        count: count as u32,
        ..Default::default()
    }
}

/// Carry out the first operations. Returns how many.
pub(crate) fn batch(fd: BorrowedFd<'_>, ops: &mut [Op]) -> io::Result<usize> {
    for op in ops.iter_mut().take(CALL_MAX) {
        op.0.result = 0; // of an earlier batch, or of a list
    }
    let batch = array(ops);
    // SAFETY: the structure describes a part of `ops`, which nobody else uses meanwhile.
    let done = unsafe { ioctl(fd, ioc::BATCH, std::ptr::addr_of!(batch) as usize) };
    done.map(|done| done as usize)
}

/// Fill the first operations with timers that the kernel gives back. Returns how many.
pub(crate) fn drain(fd: BorrowedFd<'_>, ops: &mut [Op]) -> io::Result<usize> {
    let drain = array(ops);
    // SAFETY: the structure describes a part of `ops`, which nobody else uses meanwhile. Any
    // contents are a valid Op.
    let done = unsafe { ioctl(fd, ioc::DRAIN, std::ptr::addr_of!(drain) as usize) };
    done.map(|done| done as usize)
}

/// Fill the first operations with records of timers, from the cursor on. Returns how many.
pub(crate) fn list(fd: BorrowedFd<'_>, ops: &mut [Op], cursor: &mut u64) -> io::Result<usize> {
    let TwheelBatch { ops, count, .. } = array(ops);
    let mut list =
        TwheelList { ops, cursor: *cursor, count, flags: ABSTIME, ..Default::default() };
    // SAFETY: the structure describes a part of `ops`, which nobody else uses meanwhile. Any
    // contents are a valid Op.
    let done = unsafe { ioctl(fd, ioc::LIST, std::ptr::addr_of_mut!(list) as usize) }?;
    *cursor = list.cursor;
    Ok(done as usize)
}

/// Make a lease, of which these fields are set.
pub(crate) fn lease(fd: BorrowedFd<'_>, mut lease: TwheelLease) -> io::Result<OwnedFd> {
    // SAFETY: the request takes a TwheelLease.
    unsafe { ioctl(fd, ioc::LEASE, std::ptr::addr_of_mut!(lease) as usize) }?;
    // SAFETY: the kernel has just opened this descriptor, and nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(lease.fd) })
}

pub(crate) fn lease_push(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the request takes the argument 0.
    unsafe { ioctl(fd, ioc::LEASE_PUSH, 0) }.map(drop)
}

pub(crate) fn lease_push_by(fd: BorrowedFd<'_>, ns: u64) -> io::Result<()> {
    // SAFETY: the request reads a u64.
    unsafe { ioctl(fd, ioc::LEASE_PUSH_BY, std::ptr::addr_of!(ns) as usize) }.map(drop)
}

pub(crate) fn lease_left(fd: BorrowedFd<'_>) -> io::Result<u64> {
    let mut ns = 0u64;
    // SAFETY: the request fills in a u64.
    unsafe { ioctl(fd, ioc::LEASE_LEFT, std::ptr::addr_of_mut!(ns) as usize) }?;
    Ok(ns)
}

/// Let the kernel send a signal when a timer expires, or no longer. `owner` is as in `kill()`.
/// The signals are off meanwhile: an expiry in between would send the wrong one.
pub(crate) fn set_fence(
    fd: BorrowedFd<'_>,
    owner: libc::pid_t,
    signal: libc::c_int,
    on: bool,
) -> io::Result<()> {
    // SAFETY: these commands of fcntl() take an int.
    let fcntl = |command, argument: libc::c_int| {
        check(unsafe { libc::fcntl(fd.as_raw_fd(), command, argument) })
    };
    let flags = fcntl(libc::F_GETFL, 0)? & !libc::O_ASYNC;
    fcntl(libc::F_SETFL, flags)?;
    fcntl(libc::F_SETOWN, owner)?;
    fcntl(F_SETSIG, signal)?;
    if on {
        fcntl(libc::F_SETFL, flags | libc::O_ASYNC)?;
    }
    Ok(())
}

/// Whether the program may signal a process or a group, which exists.
pub(crate) fn check_target(owner: libc::pid_t) -> io::Result<()> {
    // SAFETY: signal 0 is sent to nobody.
    check(unsafe { libc::kill(owner, 0) }).map(drop)
}

/// Take a descriptor of the environment, if it is a lease. It becomes close-on-exec.
pub(crate) fn take_lease(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: only a lease has this request, which refuses the argument 1.
    let refused = check(unsafe { libc::ioctl(fd, ioc::LEASE_PUSH as _, 1usize) });
    match refused {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
        Err(error) => return Err(error),
        Ok(_) => return Err(io::Error::from_raw_os_error(libc::ENOTTY)),
    }
    // SAFETY: the command takes an int.
    check(unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) })?;
    // SAFETY: the environment gives the lease to this program, and the caller takes it once.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

pub(crate) fn resume(fd: BorrowedFd<'_>) -> io::Result<()> {
    let drain = TwheelDrain { flags: DRAIN_RESUME, ..Default::default() };
    // SAFETY: the request takes a TwheelDrain, and with this flag reads no array.
    unsafe { ioctl(fd, ioc::DRAIN, std::ptr::addr_of!(drain) as usize) }.map(drop)
}

pub(crate) fn eventfd(fd: BorrowedFd<'_>, eventfd: RawFd) -> io::Result<()> {
    let eventfd = TwheelEventfd { fd: eventfd, ..Default::default() };
    // SAFETY: the request takes a TwheelEventfd.
    unsafe { ioctl(fd, ioc::EVENTFD, std::ptr::addr_of!(eventfd) as usize) }.map(drop)
}

pub(crate) fn clock_set(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the request takes the argument 0.
    unsafe { ioctl(fd, ioc::CLOCK_SET, 0) }.map(drop)
}

/// Read events. Returns how many.
pub(crate) fn read(fd: BorrowedFd<'_>, events: &mut [Event]) -> io::Result<usize> {
    let (start, size) = (events.as_mut_ptr(), std::mem::size_of_val(events));
    // SAFETY: the kernel writes at most `size` bytes into the slice. Any contents are a valid
    // Event.
    let got = check(unsafe { libc::read(fd.as_raw_fd(), start.cast(), size) })?;
    Ok(got as usize / size_of::<Event>())
}

/// Wait until the descriptor has one of these events of poll(), or POLLHUP. Returns false after
/// the timeout.
pub(crate) fn poll(
    fd: BorrowedFd<'_>,
    events: libc::c_short,
    timeout: Option<Duration>,
) -> io::Result<bool> {
    let mut pollfd = libc::pollfd { fd: fd.as_raw_fd(), events, revents: 0 };
    let timeout = timeout.map(|timeout| libc::timespec {
        tv_sec: timeout.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: timeout.subsec_nanos() as _,
    });
    let limit = timeout.as_ref().map_or(std::ptr::null(), |limit| limit as *const _);
    // SAFETY: one pollfd, and a timespec or NULL, both alive until the call returns.
    check(unsafe { libc::ppoll(&mut pollfd, 1, limit, std::ptr::null()) })
        .map(|ready| ready > 0)
}

pub(crate) fn set_nonblocking(fd: BorrowedFd<'_>, nonblocking: bool) -> io::Result<()> {
    let flag = libc::c_int::from(nonblocking);
    // SAFETY: FIONBIO reads an int.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONBIO as _, &flag) }).map(drop)
}

pub(crate) fn clock_gettime(clock: libc::clockid_t) -> Duration {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the call fills in a timespec. All zero is a valid one.
    let time = unsafe {
        libc::clock_gettime(clock, time.as_mut_ptr());
        time.assume_init()
    };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

pub(crate) fn page_size() -> usize {
    // SAFETY: sysconf() has no preconditions.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// A mapping of the device, unmapped on drop. The kernel and other processes write to the
/// same memory: so the mapping gives out atomic words and nothing else.
pub(crate) struct Mapping {
    start: NonNull<AtomicU64>,
    words: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread.
unsafe impl Send for Mapping {}
// SAFETY: a shared mapping gives out atomics only.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Map `size` bytes, whole pages, from this offset.
    pub(crate) fn new(fd: BorrowedFd<'_>, offset: i64, size: usize) -> io::Result<Mapping> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the kernel chooses a free address, so no memory in use changes.
        let start = unsafe {
            let fd = fd.as_raw_fd();
            libc::mmap64(std::ptr::null_mut(), size, protection, libc::MAP_SHARED, fd, offset)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::AddrNotAvailable)?;
        Ok(Mapping { start, words: size / size_of::<AtomicU64>() })
    }

    pub(crate) fn words(&self) -> &[AtomicU64] {
        // SAFETY: the pages stay mapped, readable and writable, until `self` is dropped, and
        // the slice borrows `self`. They begin at a page, so the words are aligned.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly what mmap() has returned, and no slice of it is alive.
        unsafe {
            libc::munmap(self.start.as_ptr().cast(), self.words * size_of::<AtomicU64>())
        };
    }
}

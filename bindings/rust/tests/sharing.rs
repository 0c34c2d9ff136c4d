// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! Tests of leases, lists and windows, on `/dev/twheel`.

use std::collections::HashMap;
use std::io::{ErrorKind, Write};
use std::os::unix::io::{AsRawFd, IntoRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::thread;
use std::time::Duration;
use twheel::{Clock, Events, Features, Lease, OnClose, Op, Owner, Set, State, Timer};

const HOUR: Duration = Duration::from_secs(3600);

fn open() -> Set {
    Set::open().expect("open /dev/twheel")
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_lease_pushes_up_to_its_cap() {
    let set = open();
    assert!(set.info().unwrap().features().contains(Features::LEASE));
    let timer = set.add(Op::after(HOUR, 1)).unwrap();
    let lease = set.lease(timer, 2 * HOUR, OnClose::Wait).unwrap();
    assert!(set.query(timer).unwrap().leased);
    let again = set.lease(timer, HOUR, OnClose::Wait).unwrap_err();
    assert_eq!(again.raw_os_error(), Some(libc::EBUSY));

    assert!(lease.left().unwrap() <= HOUR);
    let before = Clock::Monotonic.now();
    lease.push().unwrap();
    assert!(set.query(timer).unwrap().deadline >= before + 2 * HOUR);
    lease.push_by(HOUR).unwrap(); // is later already
    assert!(set.query(timer).unwrap().deadline >= before + 2 * HOUR);
    let beyond = lease.push_by(3 * HOUR).unwrap_err();
    assert_eq!(beyond.kind(), ErrorKind::InvalidInput);

    let before = Clock::Monotonic.now();
    let mut file = std::fs::File::from(OwnedFd::from(lease.try_clone().unwrap()));
    file.write_all(b"alive").unwrap();
    assert!(set.query(timer).unwrap().deadline >= before + 2 * HOUR);
    assert!(!lease.wait_for_end(Some(Duration::ZERO)).unwrap());
    set.cancel(timer).unwrap();
    assert!(lease.wait_for_end(None).unwrap());
    assert_eq!(lease.push().unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
#[ignore = "needs /dev/twheel"]
fn the_death_of_the_holder_is_noticed() {
    let set = open();
    let timer = set.add(Op::after(HOUR, 1)).unwrap();
    let lease = set.lease(timer, HOUR, OnClose::Expire).unwrap();
    let mut holder = Command::new("sleep").arg("3600").stdin(lease).spawn().unwrap();
    assert_eq!(set.query(timer).unwrap().state, State::Pending);
    holder.kill().unwrap();
    let mut events = Events::with_capacity(1);
    set.read(&mut events).unwrap();
    assert_eq!((events[0].timer(), events[0].lease_closed()), (Some(timer), true));
    assert!(events[0].deadline() < Clock::Monotonic.now());
    holder.wait().unwrap();
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_fence_kills_a_stopped_process() {
    let set = open();
    let errno = |result: std::io::Result<()>| result.unwrap_err().raw_os_error().unwrap();
    let mut victim = Command::new("sh").args(["-c", "kill -STOP $$"]).spawn().unwrap();
    let owner = Owner::Process(victim.id());
    assert_eq!(errno(set.fence(Owner::Group(victim.id()), libc::SIGKILL)), libc::ESRCH);
    assert_eq!(errno(set.fence(Owner::Group(1), libc::SIGKILL)), libc::EINVAL);
    assert_eq!(errno(set.fence(Owner::Process(u32::MAX), libc::SIGKILL)), libc::EINVAL);
    assert_eq!(errno(set.fence(owner, 65)), libc::EINVAL);
    set.fence(owner, libc::SIGKILL).unwrap();
    set.add(Op::after(Duration::from_millis(500), 1)).unwrap();
    assert_eq!(victim.wait().unwrap().signal(), Some(libc::SIGKILL));
    assert_eq!(errno(set.fence(Owner::Process(std::process::id()), 9)), libc::EBUSY);
    set.end_fence().unwrap();
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_lease_comes_from_the_environment() {
    let set = open();
    let lease = set.lease(set.add(Op::after(HOUR, 1)).unwrap(), HOUR, OnClose::Wait).unwrap();
    let fd = OwnedFd::from(lease.try_clone().unwrap()).into_raw_fd();
    let kind = || Lease::from_env().unwrap_err().kind();
    assert_eq!(kind(), ErrorKind::NotFound);
    std::env::set_var("TWHEEL_LEASE_NS", "5000000000");
    for text in ["", "-1", "+3", "4294967296"] {
        std::env::set_var("TWHEEL_LEASE_FD", text);
        assert_eq!(kind(), ErrorKind::InvalidInput);
    }
    std::env::set_var("TWHEEL_LEASE_FD", "1000000");
    assert_eq!(Lease::from_env().unwrap_err().raw_os_error(), Some(libc::EBADF));
    std::env::set_var("TWHEEL_LEASE_FD", fd.to_string());
    let (taken, length) = Lease::from_env().unwrap();
    assert_eq!((taken.as_raw_fd(), length), (fd, Duration::from_secs(5)));
    taken.push().unwrap();
    assert_eq!(kind(), ErrorKind::AlreadyExists);
}

/// A list ends after an error, also for a program that leaves errors out.
#[test]
#[ignore = "needs /dev/twheel"]
fn an_error_ends_a_list() {
    let set = open();
    let null = std::fs::File::open("/dev/null").unwrap();
    // SAFETY: the set owns its descriptor, which is closed once.
    assert!(unsafe { libc::dup2(null.as_raw_fd(), set.as_raw_fd()) } >= 0);
    let mut list = set.list();
    assert!(list.next().unwrap().is_err());
    assert!(list.next().is_none());
}

/// Cookies of all listed timers, by their handles
fn listed(set: &Set) -> HashMap<Timer, u64> {
    let records = set.list().map(|record| {
        let record = record.unwrap();
        (record.timer().unwrap(), record.cookie())
    });
    let mut found = HashMap::new();
    for (timer, cookie) in records {
        assert_eq!(found.insert(timer, cookie), None);
    }
    found
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_list_restores_all_timers_with_their_handles() {
    const COUNT: u64 = 5000;
    let set = open();
    let mut ops: Vec<Op> = (0..COUNT).map(|i| Op::after(HOUR, i)).collect();
    set.submit(&mut ops).unwrap();
    set.change(ops[17].timer().unwrap(), Duration::ZERO).unwrap();
    assert!(set.wait(None).unwrap());
    let timers = listed(&set);
    let wanted = ops.iter().map(|op| (op.timer().unwrap(), op.cookie()));
    assert_eq!(timers, wanted.collect());
    assert_eq!(set.info().unwrap().timers(), COUNT);

    let mut list = set.list();
    assert_eq!(list.by_ref().count(), COUNT as usize);
    let late = set.add(Op::after(HOUR, COUNT)).unwrap();
    assert!(list.next().is_none());
    set.cancel(late).unwrap();

    let mut records = set.list().collect::<std::io::Result<Vec<Op>>>().unwrap();
    let expired = |op: &&Op| op.state().unwrap() == State::Expired;
    assert_eq!(records.iter().filter(expired).count(), 1);
    // A record can be added as it is, whatever the state of its timer.
    let record = records.iter().find(expired).copied().unwrap();
    open().add(record).unwrap();
    for record in &mut records {
        *record = record.keep_handle();
    }
    let successor = open();
    assert_eq!(successor.submit(&mut records).unwrap(), COUNT as usize);
    assert!(records.iter().all(|op| op.result().is_ok()));
    assert_eq!(listed(&successor), timers);
    assert_eq!(set.submit(&mut records).unwrap(), COUNT as usize);
    let taken = |op: &Op| op.result().unwrap_err().kind() == ErrorKind::AlreadyExists;
    assert!(records.iter().all(taken));
    assert!(open().list().next().is_none());
}

#[test]
#[ignore = "needs /dev/twheel"]
fn timers_with_windows_expire_together() {
    let set = open();
    let (tick, start) = (set.info().unwrap().resolution(), Clock::Monotonic.now());
    let (window, first) = (256 * tick, start + 20 * tick);
    let mut ops: Vec<Op> = (0..100)
        .map(|i| Op::at(Clock::Monotonic, first + i * tick, i.into()).with_window(window))
        .collect();
    set.submit(&mut ops).unwrap();
    assert_eq!(set.query(ops[0].timer().unwrap()).unwrap().window, window);
    let mut events = Events::with_capacity(100);
    let mut times = Vec::new();
    let mut seen = 0;
    while seen < 100 {
        seen += set.read(&mut events).unwrap();
        times.extend(events.iter().map(|event| event.expired()));
        assert!(events.iter().all(|event| event.expired() >= event.deadline()));
        thread::sleep(tick);
    }
    times.dedup_by(|a, b| a.saturating_sub(*b) < tick);
    assert!(times.len() < 50, "{} expiries", times.len());
}

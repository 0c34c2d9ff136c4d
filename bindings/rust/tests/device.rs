// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! Tests that need `/dev/twheel`. To run them: `cargo test -- --include-ignored`

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::io::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use twheel::{
    Clock, EventKind, Events, Features, Op, Pushed, Ring, Set, State, Table, Timer, Upsert,
};

const SOON: Duration = Duration::from_millis(20);
const HOUR: Duration = Duration::from_secs(3600);

fn open() -> Set {
    Set::open().expect("open /dev/twheel")
}

fn nonblocking() -> Set {
    let set = open();
    set.set_nonblocking(true).unwrap();
    set
}

/// Adds a timer that has expired, with its event unread.
fn expired(set: &Set, cookie: u64) -> Timer {
    let unread = set.info().unwrap().unread();
    let timer = set.add(Op::after(Duration::ZERO, cookie)).unwrap();
    while set.info().unwrap().unread() == unread {
        thread::sleep(Duration::from_millis(1));
    }
    timer
}

fn errno<T: std::fmt::Debug>(result: std::io::Result<T>) -> i32 {
    result.unwrap_err().raw_os_error().expect("an error of the kernel")
}

#[test]
#[ignore = "needs /dev/twheel"]
fn info_tells_the_abilities() {
    let info = open().info().unwrap();
    assert_eq!(info.abi().0, 1);
    assert!(info.features().contains(Features::TABLE));
    assert!(info.resolution() > Duration::ZERO && info.resolution() <= info.min_period());
    assert_eq!((info.timers(), info.unread(), info.table_entries()), (0, 0, 0));
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_timer_expires_once_and_not_early() {
    let set = open();
    let before = Clock::Monotonic.now();
    let timer = set.add(Op::after(SOON, 42)).unwrap();
    let mut events = Events::with_capacity(4);
    assert_eq!(set.read(&mut events).unwrap(), 1);
    let event = events[0];
    assert_eq!(event.kind(), EventKind::Timer);
    assert_eq!((event.timer(), event.cookie(), event.count()), (Some(timer), 42, 1));
    assert_eq!(event.clock(), Some(Clock::Monotonic));
    assert!(event.deadline() >= before + SOON);
    assert!(event.expired() >= event.deadline());
    assert!(event.expired() <= Clock::Monotonic.now());
    assert_eq!(set.cancel(timer).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
#[ignore = "needs /dev/twheel"]
fn change_and_cancel_tell_the_state() {
    let set = nonblocking();
    let timer = set.add(Op::after(HOUR, 1)).unwrap();
    assert_eq!(set.change(timer, 2 * HOUR).unwrap(), State::Pending);
    assert_eq!(set.cancel(timer).unwrap(), State::Pending);
    assert_eq!(set.change(timer, HOUR).unwrap_err().kind(), ErrorKind::NotFound);

    let timer = expired(&set, 2);
    assert_eq!(set.query(timer).unwrap().state, State::Expired);
    assert_eq!(set.change(timer, HOUR).unwrap(), State::Expired);
    assert_eq!(set.query(timer).unwrap().state, State::Pending);
    let mut events = Events::with_capacity(1);
    assert_eq!(set.read(&mut events).unwrap_err().kind(), ErrorKind::WouldBlock);
    assert!(events.is_empty());

    let timer = expired(&set, 3);
    assert_eq!(set.cancel(timer).unwrap(), State::Expired);
    assert!(!set.wait(Some(Duration::ZERO)).unwrap());
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_query_tells_what_the_timer_is() {
    let set = open();
    let deadline = Clock::Boottime.now() + HOUR;
    let op = Op::at(Clock::Boottime, deadline, 7).with_period(2 * HOUR).with_group(9);
    let status = set.query(set.add(op).unwrap()).unwrap();
    assert_eq!((status.state, status.cookie, status.group), (State::Pending, 7, 9));
    assert_eq!((status.deadline, status.period), (deadline, Some(2 * HOUR)));
    assert_eq!((status.clock, status.shared), (Some(Clock::Boottime), false));
}

#[test]
#[ignore = "needs /dev/twheel"]
fn upsert_changes_or_adds() {
    let set = open();
    let timer = match set.upsert(None, Op::after(HOUR, 1)).unwrap() {
        Upsert::Added(timer) => timer,
        other => panic!("{other:?}"),
    };
    let again = set.upsert(Some(timer), Op::after(2 * HOUR, 1)).unwrap();
    assert_eq!(again, Upsert::Changed(State::Pending));
    set.cancel(timer).unwrap();
    assert!(matches!(set.upsert(Some(timer), Op::after(HOUR, 1)).unwrap(),
        Upsert::Added(new) if new != timer));
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_group_ends_as_a_whole() {
    let set = open();
    let mut ops: Vec<Op> =
        (0..100).map(|i| Op::after(HOUR, i).with_group(i % 2 + 1)).collect();
    assert_eq!(set.submit(&mut ops).unwrap(), 100);
    let end = set.cancel_group(1).unwrap();
    assert_eq!((end.ended, end.retracted), (50, 0));
    assert_eq!(set.cancel_group(1).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(set.info().unwrap().timers(), 50);
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_periodic_timer_counts_what_it_missed() {
    let set = open();
    let period = set.info().unwrap().min_period();
    assert_eq!(errno(set.add(Op::every(Duration::ZERO, 5))), libc::EINVAL);
    let timer = set.add(Op::every(period, 5)).unwrap();
    thread::sleep(10 * period);
    let mut events = Events::with_capacity(8);
    set.read(&mut events).unwrap();
    assert!(events[0].count() >= 9, "{events:?}");
    assert_eq!(set.cancel(timer).map(drop).map_err(|e| e.kind()), Ok(()));
}

#[test]
#[ignore = "needs /dev/twheel"]
fn each_operation_of_a_batch_has_its_result() {
    let set = open();
    let timer = set.add(Op::after(HOUR, 1)).unwrap();
    let mut ops = [
        Op::change(timer, 2 * HOUR),
        Op::cancel(timer),
        Op::cancel(timer),
        Op::after(HOUR, 2).shared(),
        Op::after(HOUR, 3),
    ];
    assert_eq!(set.submit(&mut ops).unwrap(), 5);
    assert_eq!(ops[0].state().unwrap(), State::Pending);
    assert_eq!(ops[1].state().unwrap(), State::Pending);
    assert_eq!(ops[2].state().unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(errno(ops[3].timer()), libc::ENOSPC);
    assert_eq!(set.query(ops[4].timer().unwrap()).unwrap().cookie, 3);
}

#[test]
#[ignore = "needs /dev/twheel"]
fn drained_timers_can_be_added_again() {
    let set = open();
    let mut ops: Vec<Op> = (0..10_000).map(|i| Op::after(HOUR, i)).collect();
    set.submit(&mut ops).unwrap();
    let mut drained = set.drain(6_000).unwrap();
    assert_eq!(drained.len(), 6_000);
    assert_eq!(errno(set.add(Op::after(HOUR, 1))), libc::ESHUTDOWN);
    drained.extend(set.drain(usize::MAX).unwrap());
    assert!(set.drain(1).unwrap().is_empty());
    set.resume().unwrap();
    assert_eq!(set.submit(&mut drained).unwrap(), 10_000);
    assert_eq!(drained.iter().map(Op::cookie).sum::<u64>(), 9_999 * 10_000 / 2);
    assert_eq!(set.info().unwrap().timers(), 10_000);
}

#[test]
#[ignore = "needs /dev/twheel"]
fn realtime_takes_deadlines_only() {
    let set = open();
    let deadline = Clock::Realtime.now() + SOON;
    let timer = set.add(Op::at(Clock::Realtime, deadline, 1)).unwrap();
    assert_eq!(errno(set.change(timer, HOUR)), libc::EINVAL);
    let mut events = Events::with_capacity(1);
    set.read(&mut events).unwrap();
    assert_eq!((events[0].clock(), events[0].deadline()), (Some(Clock::Realtime), deadline));
    set.watch_clock().unwrap();
}

#[test]
#[ignore = "needs /dev/twheel"]
fn wait_ends_with_its_timeout() {
    let set = open();
    let before = Clock::Monotonic.now();
    assert!(!set.wait(Some(SOON)).unwrap());
    assert!(Clock::Monotonic.now() >= before + SOON);
    set.add(Op::after(SOON, 1)).unwrap();
    assert!(set.wait(None).unwrap());
}

#[test]
#[ignore = "needs /dev/twheel"]
fn threads_push_deadlines_back() {
    let set = Arc::new(open());
    let table = Table::map(Arc::clone(&set), 1000).unwrap();
    assert!(table.entries() >= 1000);
    let timer = set.add(Op::after(HOUR, 1).shared()).unwrap();
    let start = Clock::Monotonic.now() + 2 * HOUR;
    let pushed = AtomicUsize::new(0);
    thread::scope(|scope| {
        for thread in 0..4 {
            let (table, pushed) = (&table, &pushed);
            scope.spawn(move || {
                for i in 0..10_000 {
                    let deadline = start + Duration::from_nanos(4 * i + thread);
                    let done = table.push_back(timer, deadline) == Pushed::Done;
                    pushed.fetch_add(done.into(), Ordering::Relaxed);
                }
            });
        }
    });
    assert!((10_000..=40_000).contains(&pushed.into_inner()));
    let last = start + Duration::from_nanos(39_999);
    assert_eq!(set.query(timer).unwrap().deadline, last);
    assert_eq!(table.push_back(timer, last), Pushed::Before);
    set.cancel(timer).unwrap();
    assert_eq!(table.push_back(timer, 2 * last), Pushed::Not);
    assert_eq!(table.push_back(Timer::from_raw(u64::MAX).unwrap(), last), Pushed::Not);
}

/// The kernel has given the entry of a timer that is gone to another timer.
#[test]
#[ignore = "needs /dev/twheel"]
fn old_handles_push_nothing() {
    let set = open();
    let table = set.table(1).unwrap();
    let add = || set.add(Op::after(HOUR, 1).shared()).unwrap();
    let timers: Vec<Timer> = (0..table.entries()).map(|_| add()).collect();
    let old = timers[0];
    set.cancel(old).unwrap();
    let timer = add();
    assert_eq!(timer.to_raw() & 0xff_ffff, old.to_raw() & 0xff_ffff);
    let later = Clock::Monotonic.now() + 2 * HOUR;
    assert_eq!(table.push_back(old, later), Pushed::Not);
    assert_eq!(table.push_back(timer, later), Pushed::Done);
}

#[test]
#[ignore = "needs /dev/twheel"]
fn the_first_mapping_fixes_the_size() {
    let set = open();
    assert_eq!(errno(set.table(0)), libc::EINVAL);
    let table = set.table(10).unwrap();
    assert_eq!(set.table(0).unwrap().entries(), table.entries());
    assert_eq!(errno(set.table(table.entries() + 1)), libc::EINVAL);
    assert_eq!(set.info().unwrap().table_entries(), table.entries());
    assert_eq!(errno(set.ring(1 << 30)), libc::EINVAL);
}

#[test]
#[ignore = "needs /dev/twheel"]
fn the_ring_delivers_all_events() {
    const COUNT: u64 = 1000;
    let set = open();
    let mut ring = Ring::map(&set, 1).unwrap();
    assert!((ring.entries() as u64) < COUNT);
    let mut ops: Vec<Op> = (0..COUNT).map(|i| Op::after(SOON, i)).collect();
    set.submit(&mut ops).unwrap();
    let mut events = Events::with_capacity(50);
    let mut seen = vec![0; COUNT as usize];
    while seen.iter().sum::<u64>() < COUNT {
        assert!(ring.wait(Some(HOUR)).unwrap());
        assert!(ring.available() <= ring.entries());
        assert_eq!(ring.take(&mut events), events.len());
        for event in &events {
            assert!(event.kind() == EventKind::Timer && event.expired() >= event.deadline());
            assert_eq!(event.timer(), ops[event.cookie() as usize].timer().ok());
            seen[event.cookie() as usize] += event.count();
        }
    }
    assert!(seen.iter().all(|&times| times == 1));
    assert!(!ring.wait(Some(Duration::ZERO)).unwrap() && !ring.more());
    assert_eq!(ring.take(&mut events), 0);
    assert_eq!(errno(set.read(&mut events)), libc::EBUSY);
}

#[test]
#[ignore = "needs /dev/twheel"]
fn only_the_device_is_a_set() {
    let null = OwnedFd::from(File::open("/dev/null").unwrap());
    assert_eq!(errno(Set::try_from(null)), libc::ENOTTY);
    let absent = Set::open_path("/dev/no-twheel").unwrap_err();
    assert_eq!(absent.kind(), ErrorKind::NotFound);
    let text = absent.to_string();
    assert!(
        text.starts_with("/dev/no-twheel: ") && text.contains("module twheel loaded?"),
        "{text}"
    );
    assert!(Set::open_path("/dev/null").unwrap_err().to_string().starts_with("/dev/null: "));
    let set = Set::try_from(OwnedFd::from(open())).unwrap();
    assert!(set.as_raw_fd() >= 0);
    assert_eq!(errno(set.signal_eventfd(Some(set.as_fd()))), libc::EINVAL);
    set.signal_eventfd(None).unwrap();
}

#[test]
#[ignore = "needs /dev/twheel"]
fn timers_live_as_long_as_the_last_descriptor() {
    let set = open();
    let timer = set.add(Op::after(HOUR, 11)).unwrap();
    let other = set.try_clone().unwrap();
    drop(set);
    assert_eq!(other.query(timer).unwrap().cookie, 11);
}

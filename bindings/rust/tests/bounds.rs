// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! The table of bindings/README. A `Duration` cannot be negative, NaN or infinite, and a u64
//! cannot be 2⁶⁴: the compiler refuses them.

use std::time::Duration;
use twheel::{Clock, OnClose, Op, Pushed, Set, Timer};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
const LATEST: Duration = Duration::from_nanos(i64::MAX as u64);
const NUMBERS: [u64; 8] =
    [0, 1, 1 << 31, 1 << 32, (1 << 53) + 1, i64::MAX as u64, 1 << 63, u64::MAX];

/// Each number in nanoseconds, then 2⁶⁴ ns and more.
fn times() -> Vec<Duration> {
    let mut times: Vec<_> = NUMBERS.into_iter().map(Duration::from_nanos).collect();
    times.extend([Duration::from_nanos(u64::MAX) + Duration::from_nanos(1), Duration::MAX]);
    times
}

fn deadline(set: &Set, timer: Timer) -> Duration {
    set.query(timer).unwrap().deadline
}

#[test]
#[ignore = "needs /dev/twheel"]
fn times_are_kept_or_count_as_the_latest() {
    let set = Set::open().unwrap();
    let timer = set.add(Op::after(HOUR, 1)).unwrap();
    for time in times() {
        let wanted = time.min(LATEST);
        let added = set.add(Op::at(Clock::Monotonic, time, 1).with_window(time)).unwrap();
        let found = set.query(added).unwrap();
        assert_eq!((found.deadline, found.window), (wanted, wanted));
        set.change_at(timer, time).unwrap();
        assert_eq!(deadline(&set, timer), wanted);
        let before = Clock::Monotonic.now();
        set.change(timer, time).unwrap();
        assert!(deadline(&set, timer) >= LATEST.min(before.saturating_add(time)));
        if time >= set.info().unwrap().min_period() {
            let periodic = set.add(Op::every(time, 1)).unwrap();
            assert_eq!(set.query(periodic).unwrap().period, Some(wanted));
        }
        let leased = set.add(Op::after(HOUR, 1)).unwrap();
        let lease = set.lease(leased, time, OnClose::Wait);
        assert_eq!(lease.is_ok(), !time.is_zero());
        if let Ok(lease) = lease {
            lease.push_by(time).unwrap();
            assert!(deadline(&set, leased) >= wanted);
        }
    }
}

#[test]
#[ignore = "needs /dev/twheel"]
fn cookies_and_groups_are_kept() {
    let set = Set::open().unwrap();
    for number in NUMBERS {
        let timer = set.add(Op::after(HOUR, number).with_group(number)).unwrap();
        let found = set.query(timer).unwrap();
        assert_eq!((found.cookie, found.group), (number, number));
    }
}

#[test]
#[ignore = "needs /dev/twheel"]
fn table_takes_any_time() {
    let set = Set::open().unwrap();
    let table = set.table(1).unwrap();
    let timer = set.add(Op::after(HOUR, 1).shared()).unwrap();
    let before = deadline(&set, timer);
    for time in times() {
        let pushed =
            if time > before && time <= LATEST { Pushed::Done } else { Pushed::Before };
        assert_eq!(table.push_back(timer, time), pushed, "{time:?}");
        assert_eq!(deadline(&set, timer), time.min(LATEST).max(before));
    }
    for entries in [1 << 31, 1 << 32, (1 << 53) + 1, usize::MAX / 2, usize::MAX] {
        assert!(set.table(entries).is_err() && set.ring(entries).is_err());
    }
}

#[test]
#[ignore = "needs /dev/twheel"]
fn waits_take_any_timeout() {
    let set = Set::open().unwrap();
    let timer = set.add(Op::after(HOUR, 1)).unwrap();
    let lease = set.lease(timer, HOUR, OnClose::Wait).unwrap();
    assert!(!set.wait(Some(Duration::ZERO)).unwrap());
    assert!(!lease.wait_for_end(Some(Duration::ZERO)).unwrap());
    set.change(timer, Duration::from_millis(20)).unwrap();
    assert!(set.wait(Some(25 * DAY)).unwrap());
    for time in times() {
        assert!(set.wait(Some(time)).unwrap());
        assert!(lease.wait_for_end(Some(time)).unwrap());
    }
}

/// In virtual time, days pass at once.
#[test]
#[ignore = "takes days"]
fn days_of_waiting_are_not_cut() {
    let set = Set::open().unwrap();
    let timer = set.add(Op::after(100 * DAY, 1)).unwrap();
    let lease = set.lease(timer, 100 * DAY, OnClose::Wait).unwrap();
    let start = Clock::Monotonic.now();
    let passed = || Clock::Monotonic.now() - start;
    assert!(!set.wait(Some(30 * DAY)).unwrap());
    assert!(!lease.wait_for_end(Some(30 * DAY)).unwrap());
    assert!(passed() >= 60 * DAY);
    assert!(set.wait(Some(Duration::MAX)).unwrap());
    assert!(lease.wait_for_end(Some(30 * DAY)).unwrap());
    assert!(passed() >= 100 * DAY && passed() < 101 * DAY);
}

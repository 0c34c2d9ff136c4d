// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! Tests of sets in tasks of tokio, on `/dev/twheel`.
#![cfg(feature = "tokio")]

use std::future::Future;
use std::io::{ErrorKind, Result};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::yield_now;
use tokio::time::{error::Elapsed, timeout};
use twheel::{AsyncSet, Clock, Event, Events, Op, Set};

const SOON: Duration = Duration::from_millis(20);
const HOUR: Duration = Duration::from_secs(3600);

/// Runs a test in a runtime with one thread.
fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let test = async { timeout(Duration::from_secs(60), test).await };
    runtime.block_on(test).expect("the test hangs")
}

fn open() -> AsyncSet {
    AsyncSet::new(Set::open().expect("open /dev/twheel")).unwrap()
}

/// Polls a future once and drops it.
async fn poll_once<T>(future: impl Future<Output = T>) -> std::result::Result<T, Elapsed> {
    timeout(Duration::ZERO, future).await
}

/// Adds a timer that expires at each tick for a while; returns how many there are.
fn add_many(set: &Set) -> usize {
    let tick = set.info().unwrap().resolution();
    let mut ops: Vec<Op> = (0..50).map(|i| Op::after(i * tick, i.into())).collect();
    set.submit(&mut ops).unwrap()
}

/// Each cookie came once.
fn assert_once(mut cookies: Vec<u64>) {
    cookies.sort_unstable();
    assert!(cookies.iter().copied().eq(0..50), "{cookies:?}");
}

#[test]
#[ignore = "needs /dev/twheel"]
fn other_tasks_run_while_one_waits() {
    run(async {
        let set = Arc::new(open());
        let reader = tokio::spawn({
            let set = Arc::clone(&set);
            async move {
                let mut events = Events::with_capacity(4);
                set.read(&mut events).await.unwrap();
                events[0]
            }
        });
        yield_now().await; // the reader waits now
        let before = Clock::Monotonic.now();
        let timer = set.add(Op::after(SOON, 42)).unwrap();
        let event: Event = reader.await.unwrap();
        assert_eq!((event.timer(), event.cookie()), (Some(timer), 42));
        assert!(event.expired() >= event.deadline() && event.deadline() >= before + SOON);
        assert_eq!(set.cancel(timer).unwrap_err().kind(), ErrorKind::NotFound);
    });
}

#[test]
#[ignore = "needs /dev/twheel"]
fn dropped_futures_lose_no_event() {
    run(async {
        let set = open();
        let (mut events, mut cookies) = (Events::with_capacity(3), Vec::new());
        // Without a timer, this future is dropped for sure. On a busy host, others may not be.
        assert!(poll_once(set.read(&mut events)).await.is_err());
        let count = add_many(&set);
        while cookies.len() < count {
            match poll_once(set.read(&mut events)).await {
                Ok(result) => assert_eq!(result.unwrap(), events.len()),
                Err(_) => assert!(events.is_empty()),
            }
            cookies.extend(events.iter().map(Event::cookie));
        }
        assert_once(cookies);
    });
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_stream_gives_events_one_by_one() {
    run(async {
        let set = open();
        let count = add_many(&set);
        let (mut stream, mut cookies) = (set.events(), Vec::new());
        while cookies.len() < count {
            if let Ok(event) = poll_once(stream.next()).await {
                cookies.push(event.unwrap().cookie());
            }
        }
        assert_once(cookies);
        assert!(poll_once(stream.next()).await.is_err());
    });
}

/// The runtime hears of new events only. Those that did not fit into the buffer are not new.
#[test]
#[ignore = "needs /dev/twheel"]
fn events_that_did_not_fit_are_read_next() {
    run(async {
        let set = open();
        let count = add_many(&set);
        while set.info().unwrap().unread() < count as u64 {
            timeout(SOON, yield_now()).await.unwrap();
        }
        let (mut events, mut cookies) = (Events::with_capacity(7), Vec::new());
        while cookies.len() < count {
            set.read(&mut events).await.unwrap();
            cookies.extend(events.iter().map(Event::cookie));
        }
        assert_once(cookies);
    });
}

#[test]
#[ignore = "needs /dev/twheel"]
fn tasks_share_the_events() {
    run(async {
        let set = Arc::new(open());
        let reader = |set: Arc<AsyncSet>| async move {
            let (mut events, mut cookies) = (Events::with_capacity(1), Vec::new());
            while set.read(&mut events).await.unwrap() > 0 && events[0].cookie() < 50 {
                cookies.push(events[0].cookie());
            }
            cookies
        };
        let readers = [(); 2].map(|()| tokio::spawn(reader(Arc::clone(&set))));
        let count = add_many(&set);
        // One for each reader, later than all others.
        let end = (count + 10) as u32 * set.info().unwrap().resolution();
        for _ in &readers {
            set.add(Op::after(end, count as u64)).unwrap();
        }
        let mut cookies = Vec::new();
        for reader in readers {
            cookies.extend(reader.await.unwrap());
        }
        assert_once(cookies);
    });
}

#[test]
#[ignore = "needs /dev/twheel"]
fn an_event_may_go_to_another_descriptor() {
    run(async {
        let set = open();
        let other = set.try_clone().unwrap();
        let mut events = Events::with_capacity(1);
        set.add(Op::after(Duration::ZERO, 1)).unwrap();
        assert!(other.wait(None).unwrap());
        assert_eq!(other.read(&mut events).unwrap(), 1);
        assert!(timeout(SOON, set.read(&mut events)).await.is_err());
        set.add(Op::after(SOON, 2)).unwrap();
        set.read(&mut events).await.unwrap();
        assert_eq!(events[0].cookie(), 2);
    });
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_ring_is_filled_while_a_task_waits() {
    const COUNT: u64 = 1000;
    run(async {
        let set = open();
        let mut ring = set.ring(1).unwrap();
        assert!((ring.entries() as u64) < COUNT);
        let mut ops: Vec<Op> = (0..COUNT).map(|i| Op::after(SOON, i)).collect();
        set.submit(&mut ops).unwrap();
        let (mut events, mut seen) = (Events::with_capacity(50), vec![0; COUNT as usize]);
        while seen.iter().sum::<u64>() < COUNT {
            set.wait().await.unwrap();
            assert!(ring.take(&mut events) > 0);
            events.iter().for_each(|event| seen[event.cookie() as usize] += 1);
        }
        assert!(seen.iter().all(|&times| times == 1));
        assert!(timeout(SOON, set.wait()).await.is_err());

        set.add(Op::after(Duration::ZERO, 1)).unwrap();
        let error = set.read(&mut events).await.unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EBUSY));
    });
}

#[test]
#[ignore = "needs /dev/twheel"]
fn a_set_comes_back_with_its_timers() {
    run(async {
        let set = open();
        let timer = set.add(Op::after(HOUR, 11)).unwrap();
        let set = set.into_inner();
        assert_eq!(set.query(timer).unwrap().cookie, 11);
        let error: Result<usize> = set.read(&mut Events::with_capacity(1));
        assert_eq!(error.unwrap_err().kind(), ErrorKind::WouldBlock);
        // The runtime watches it again.
        let set = AsyncSet::new(set).unwrap();
        set.change(timer, Duration::ZERO).unwrap();
        assert_eq!(set.events().next().await.unwrap().cookie(), 11);
    });
}

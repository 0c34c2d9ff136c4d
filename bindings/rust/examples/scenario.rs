// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! The scenario that every binding repeats: what bindings/README says, step by step. It
//! prints a table of counts, which do not depend on the machine.

use std::io;
use std::time::Duration;
use twheel::{Clock, Event, Events, Op, Pushed, Set, State, Table, Timer};

const COUNT: u64 = 100_000;
const HOUR: Duration = Duration::from_secs(3600);
/// A deadline that has passed on every clock
const PAST: Duration = Duration::from_nanos(1);

fn row(name: &str, count: impl TryInto<u64>) {
    println!("{name:<16}{:>12}", count.try_into().unwrap_or(u64::MAX));
}

/// Carries out an operation on each timer, and counts those with the wanted result.
fn count(
    set: &Set,
    timers: impl Iterator<Item = Timer>,
    op: impl Fn(Timer) -> Op,
    wanted: impl Fn(&Op) -> bool,
) -> io::Result<usize> {
    let mut ops: Vec<Op> = timers.map(op).collect();
    assert_eq!(set.submit(&mut ops)?, ops.len());
    Ok(ops.iter().filter(|op| wanted(op)).count())
}

fn was(state: State) -> impl Fn(&Op) -> bool {
    move |op| matches!(op.state(), Ok(found) if found == state)
}

fn is_gone(op: &Op) -> bool {
    matches!(op.state(), Err(error) if error.kind() == io::ErrorKind::NotFound)
}

fn sum<'a>(events: impl IntoIterator<Item = &'a Event>) -> u64 {
    events.into_iter().map(Event::cookie).sum()
}

/// Gives the timers a deadline that has passed, and waits until all have expired.
fn expire(set: &Set, timers: impl Iterator<Item = Timer>) -> io::Result<()> {
    let changed = count(set, timers, |timer| Op::change_at(timer, PAST), was(State::Pending))?;
    while set.info()?.unread() < changed as u64 {
        set.wait(Some(Duration::ZERO))?;
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Reads up to EAGAIN.
fn read_all(set: &Set) -> io::Result<Vec<Event>> {
    let mut events = Events::with_capacity(1000);
    let mut all = Vec::new();
    loop {
        match set.read(&mut events) {
            Ok(_) => all.extend_from_slice(&events),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(all),
            Err(error) => return Err(error),
        }
    }
}

fn restore_into_ring(set: &Set, mut ops: Vec<Op>) -> io::Result<()> {
    set.resume()?;
    let mut ring = set.ring(4096)?;
    for op in &mut ops {
        *op = op.with_delay(Duration::ZERO);
    }
    set.submit(&mut ops)?;
    row("restored", ops.iter().filter(|op| op.result().is_ok()).count());
    let mut events = Events::with_capacity(1000);
    let (mut consumed, mut cookies) = (0, 0);
    while consumed < ops.len() {
        if ring.take(&mut events) == 0 {
            ring.wait(Some(Duration::from_secs(1)))?;
        }
        consumed += events.len();
        cookies += sum(&events);
    }
    row("ring", consumed);
    row("ring-sum", cookies);
    Ok(())
}

fn main() -> io::Result<()> {
    let set = Set::open()?;
    set.set_nonblocking(true)?;
    let table = Table::map(&set, COUNT as usize)?;
    let start = Clock::Monotonic.now();
    let (soon, late) = (start + HOUR, start + 2 * HOUR);

    let mut ops: Vec<Op> =
        (0..COUNT).map(|i| Op::at(Clock::Monotonic, soon, i).shared()).collect();
    set.submit(&mut ops)?;
    row("armed", ops.iter().filter(|op| op.result().is_ok()).count());
    let timers = ops.iter().map(Op::timer).collect::<io::Result<Vec<Timer>>>()?;
    let turn = |n: usize| timers.iter().skip(n).step_by(4).copied();
    let push = |n: usize, deadline, wanted: Pushed| {
        turn(n).filter(|&timer| table.push_back(timer, deadline) == wanted).count()
    };

    row("pushed", push(0, late, Pushed::Done));
    row("pushed-before", push(0, soon, Pushed::Before));
    let mut ops: Vec<Op> = turn(0).map(Op::query).collect();
    set.submit(&mut ops)?;
    let as_pushed = |(i, op): &(usize, &Op)| {
        matches!(op.status(), Ok(found) if found.deadline == late
            && found.cookie == 4 * *i as u64)
    };
    row("queried", ops.iter().enumerate().filter(as_pushed).count());

    row("cancelled", count(&set, turn(1), Op::cancel, was(State::Pending))?);
    row("gone", count(&set, turn(1), Op::cancel, is_gone)?);

    expire(&set, turn(2))?;
    let events = read_all(&set)?;
    row("expired", events.len());
    row("expired-sum", sum(&events));
    row("early", events.iter().filter(|event| event.expired() < event.deadline()).count());
    row("pushed-not", push(2, late, Pushed::Not));

    expire(&set, turn(3))?;
    let again = |timer| Op::change_at(timer, soon);
    row("retracted", count(&set, turn(3), again, was(State::Expired))?);
    row("events-left", read_all(&set)?.len());

    row("pending", set.info()?.timers());
    let ops = set.drain(COUNT as usize)?;
    row("drained", ops.len());
    row("drained-sum", ops.iter().map(Op::cookie).sum::<u64>());
    restore_into_ring(&set, ops)?;
    row("left", set.info()?.timers());
    Ok(())
}

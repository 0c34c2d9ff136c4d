// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! Clients whose heartbeats come from threads, without system calls. Every tenth client falls
//! silent after its first heartbeat, and times out.
//!
//! usage: heartbeat [CLIENTS]

use std::sync::Arc;
use std::time::Duration;
use std::{env, io, thread};
use twheel::{Clock, Events, Op, Pushed, Set, Table, Timer};

const TIMEOUT: Duration = Duration::from_millis(500);
const BETWEEN: Duration = Duration::from_millis(100);
const HEARTBEATS: usize = 10;

/// Sends the heartbeats of some clients. Returns how many were in time.
fn send(table: &Table<Arc<Set>>, clients: &[Timer]) -> usize {
    let mut in_time = 0;
    for round in 0..HEARTBEATS {
        let deadline = Clock::Monotonic.now() + TIMEOUT;
        for (i, &client) in clients.iter().enumerate() {
            if round == 0 || i % 10 != 0 {
                in_time += usize::from(table.push_back(client, deadline) != Pushed::Not);
            }
        }
        thread::sleep(BETWEEN);
    }
    in_time
}

fn main() -> io::Result<()> {
    let clients = match env::args().nth(1) {
        Some(text) => {
            text.parse().map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?
        }
        None => 10_000,
    };
    let set = Arc::new(Set::open()?);
    let table = Arc::new(Table::map(Arc::clone(&set), clients)?);
    let mut ops: Vec<Op> =
        (0..clients).map(|i| Op::after(TIMEOUT, i as u64).shared()).collect();
    set.submit(&mut ops)?;
    let timers = ops.iter().map(Op::timer).collect::<io::Result<Vec<Timer>>>()?;

    let mut threads = Vec::new();
    for share in timers.chunks(clients / 4 + 1) {
        let (table, share) = (Arc::clone(&table), share.to_vec());
        threads.push(thread::spawn(move || send(&table, &share)));
    }
    let mut events = Events::with_capacity(1024);
    let mut silent = 0;
    let end = Clock::Monotonic.now() + BETWEEN * HEARTBEATS as u32;
    while let Some(rest) = end.checked_sub(Clock::Monotonic.now()) {
        if set.wait(Some(rest))? {
            silent += set.read(&mut events)?;
        }
    }
    let heartbeats: usize = threads.into_iter().map(|sender| sender.join().unwrap()).sum();
    println!("{clients} clients, {heartbeats} heartbeats, {silent} clients timed out");
    Ok(())
}

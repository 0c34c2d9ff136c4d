// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! Connections that end when they fall silent, as tasks of tokio.
//!
//! Three clients connect. Two of them send a byte every 20 ms, and each byte pushes the deadline
//! of their connection back. The server ends the connection of the third, and then the program.

use std::io::{self, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::net::UnixStream;
use twheel::{AsyncSet, Op, Set, Timer};

const PATIENCE: Duration = Duration::from_secs(3);
const BETWEEN: Duration = Duration::from_millis(20);

/// Read what a client sends. Each message makes its deadline later.
async fn serve(client: UnixStream, set: Arc<AsyncSet>, timer: Timer) -> io::Result<()> {
    let mut message = [0; 64];
    loop {
        client.readable().await?;
        match client.try_read(&mut message) {
            Ok(0) => return set.cancel(timer).map(drop),
            Ok(_) => {
                set.change(timer, PATIENCE)?;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let set = Arc::new(AsyncSet::new(Set::open()?)?);
    let mut connections = Vec::new();
    for number in 0..3 {
        let (mut client, server) = std::os::unix::net::UnixStream::pair()?;
        server.set_nonblocking(true)?;
        let timer = set.add(Op::after(PATIENCE, number))?;
        let serving = serve(UnixStream::from_std(server)?, Arc::clone(&set), timer);
        connections.push(tokio::spawn(serving));
        thread::spawn(move || {
            while client.write_all(b".").is_ok() && number < 2 {
                thread::sleep(BETWEEN);
            }
            thread::sleep(10 * PATIENCE);
        });
    }
    let silent = set.events().next().await?.cookie();
    connections[silent as usize].abort();
    println!("client {silent} is silent: its connection ends");
    match silent {
        2 => Ok(()),
        _ => Err(io::Error::new(io::ErrorKind::Other, "not the one that was expected")),
    }
}

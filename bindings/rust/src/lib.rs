// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! Millions of timers on one file descriptor: `/dev/twheel`, from the Linux module twheel.
//!
//! A [`Set`] is an open file of the device, with timers of its own. A timer expires at the
//! first tick of the system at or after its deadline, and never early. Its expiry is an
//! [`Event`], which [`Set::read`] returns. A set is a descriptor like any other: it
//! implements [`AsFd`](std::os::unix::io::AsFd), and works with `poll` and `epoll`.
//!
//! ```no_run
//! use std::time::Duration;
//! use twheel::{Events, Op, Set};
//!
//! # fn main() -> std::io::Result<()> {
//! let set = Set::open()?;
//! let timer = set.add(Op::after(Duration::from_secs(30), 42))?;
//! set.change(timer, Duration::from_millis(1500))?;
//!
//! let mut events = Events::with_capacity(64);
//! set.read(&mut events)?; // waits for the first event
//! for event in events.iter() {
//!     println!("timer {} expired", event.cookie());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! - [`Op`] is an operation: add, change, cancel, query. [`Set::submit`] carries out as many
//!   as there are in a slice, 4,096 in a system call.
//! - [`Table`] maps the table of deadlines: [`Table::push_back`] gives a timer a later
//!   deadline by one compare-and-exchange, without a system call.
//! - [`Ring`] maps the ring of events, which delivers events without a system call.
//! - A [`Lease`] is a descriptor for another process, which pushes one deadline back. If the
//!   process dies or hangs, the timer expires.
//! - With the feature `tokio`, an `AsyncSet` is a set whose events the tasks of tokio await.
//! - Every error is a [`std::io::Error`], with the kernel's number but for errors of opening the
//!   device, which say what may be wrong instead. A timer that is gone gives
//!   [`NotFound`](std::io::ErrorKind::NotFound) (`ENOENT`).
//!
//! The kernel's header `linux/twheel.h` documents the interface in full. The crate speaks it
//! directly: it links no C library of twheel.
//!
//! # Times
//!
//! A time is a [`Duration`](std::time::Duration). One of more than 2⁶³ - 1 ns, 292 years,
//! counts as 2⁶³ - 1 ns. A `Duration` is never negative, and always a number:
//!
//! ```compile_fail,E0600
//! # use std::time::Duration;
//! let delay = Duration::from_nanos(-1); // error: cannot apply unary operator `-` to type `u64`
//! ```
//!
//! # Lifetimes
//!
//! The timers of a set end when the set is dropped, unless another descriptor of the same
//! open file lives on ([`Set::try_clone`], `fork`). Nothing can be done with a set
//! that was dropped:
//!
//! ```compile_fail,E0382
//! # use twheel::Set;
//! # fn main() -> std::io::Result<()> {
//! let set = Set::open()?;
//! drop(set);
//! set.info()?; // error: borrow of moved value
//! # Ok(())
//! # }
//! ```
//!
//! A mapping holds or borrows its set: see [`Table`].

#![deny(missing_docs)]
#![deny(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]
#![cfg(target_os = "linux")]

mod abi;
#[cfg(feature = "tokio")]
mod async_set;
mod event;
mod lease;
mod list;
mod op;
mod ring;
mod set;
mod sys;
mod table;
mod time;

#[cfg(feature = "tokio")]
pub use async_set::{AsyncSet, EventStream};
pub use event::{Event, EventKind, Events};
pub use lease::{Lease, OnClose};
pub use list::List;
pub use op::{Op, State, Status, Timer};
pub use ring::Ring;
pub use set::{Features, GroupEnd, Info, Owner, Set, Upsert};
pub use table::{Pushed, Table};
pub use time::Clock;

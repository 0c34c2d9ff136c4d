// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! A set of timers in a program of tokio.

use crate::{Event, Events, Set};
use std::fmt;
use std::io;
use std::ops::Deref;
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::io::Interest;

/// A [`Set`] whose events the tasks of tokio await. Only with the feature `tokio` of the crate.
///
/// All other calls are those of the set, to which this type derefs. They do not wait.
///
/// ```no_run
/// use std::time::Duration;
/// use twheel::{AsyncSet, Events, Op, Set};
///
/// #[tokio::main(flavor = "current_thread")]
/// async fn main() -> std::io::Result<()> {
///     let set = AsyncSet::new(Set::open()?)?;
///     set.add(Op::after(Duration::from_secs(30), 42))?;
///     let mut events = Events::with_capacity(64);
///     set.read(&mut events).await?;
///     for event in &events {
///         println!("timer {} expired", event.cookie());
///     }
///     Ok(())
/// }
/// ```
///
/// # Cancellation
///
/// Each future of this type and of [`EventStream`] may be dropped at any time, as
/// `tokio::select!` and `tokio::time::timeout` do, and no event is lost. A future takes events
/// from the kernel at the moment at which it completes, and never before.
#[derive(Debug)]
pub struct AsyncSet(AsyncFd<Set>);

impl AsyncSet {
    /// Let the runtime watch a set. The set becomes [nonblocking](Set::set_nonblocking), and has
    /// to stay so.
    ///
    /// # Errors
    ///
    /// The system's, if it cannot watch one more descriptor. The set is dropped then.
    ///
    /// # Panics
    ///
    /// Outside a runtime of tokio, and in a runtime that was built without `enable_io`.
    pub fn new(set: Set) -> io::Result<AsyncSet> {
        set.set_nonblocking(true)?;
        AsyncFd::with_interest(set, Interest::READABLE).map(AsyncSet)
    }

    /// The set, which the runtime no longer watches. It stays nonblocking.
    pub fn into_inner(self) -> Set {
        self.0.into_inner()
    }

    /// Read as many events as there are and as fit into the buffer, and return how many. If
    /// there is none, the future waits for the first. Tasks may read at the same time: each
    /// event goes to one of them.
    ///
    /// # Errors
    ///
    /// `EBUSY` if events go to a [`Ring`](crate::Ring): see [`wait`](AsyncSet::wait).
    pub async fn read(&self, events: &mut Events) -> io::Result<usize> {
        // A future that is dropped leaves no old events behind.
        events.filled = 0;
        self.when_ready(|set| set.read(events)).await
    }

    /// Wait until there are events. If they go to a [`Ring`](crate::Ring), this also lets the
    /// kernel fill the ring:
    ///
    /// ```no_run
    /// # use twheel::{AsyncSet, Events, Set};
    /// # async fn run() -> std::io::Result<()> {
    /// let set = AsyncSet::new(Set::open()?)?;
    /// let mut ring = set.ring(4096)?;
    /// let mut events = Events::with_capacity(256);
    /// loop {
    ///     set.wait().await?;
    ///     ring.take(&mut events);
    ///     for event in &events {
    ///         println!("timer {} expired", event.cookie());
    ///     }
    /// }
    /// # }
    /// ```
    pub async fn wait(&self) -> io::Result<()> {
        self.when_ready(|set| match set.wait(Some(Duration::ZERO))? {
            true => Ok(()),
            false => Err(io::ErrorKind::WouldBlock.into()),
        })
        .await
    }

    /// The events one by one, read up to 64 at a time.
    pub fn events(&self) -> EventStream<'_> {
        EventStream { set: self, events: Events::with_capacity(64), taken: 0 }
    }

    /// Make a call once the set has events, and again as long as it fails with `WouldBlock`.
    async fn when_ready<T>(
        &self,
        mut call: impl FnMut(&Set) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            let mut ready = self.0.readable().await?;
            // A call is interrupted by any signal that comes meanwhile.
            let uninterrupted = ready.try_io(|fd| loop {
                match call(fd.get_ref()) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    result => return result,
                }
            });
            if let Ok(result) = uninterrupted {
                return result;
            }
        }
    }
}

impl Deref for AsyncSet {
    type Target = Set;

    fn deref(&self) -> &Set {
        self.0.get_ref()
    }
}

/// The events of an [`AsyncSet`] one by one, from [`AsyncSet::events`].
///
/// ```no_run
/// # use twheel::{AsyncSet, Set};
/// # async fn run(set: AsyncSet) -> std::io::Result<()> {
/// let mut events = set.events();
/// loop {
///     println!("timer {} expired", events.next().await?.cookie());
/// }
/// # }
/// ```
///
/// The stream reads ahead. Events that it holds when it is dropped are lost, and the set cannot
/// withdraw them: for the set, their one-shot timers have ended. A program that cancels timers
/// and must not get their events afterwards uses [`AsyncSet::read`].
///
/// With the crate `futures`, `stream::try_unfold` makes a `Stream` of [`next`](EventStream::next).
pub struct EventStream<'a> {
    set: &'a AsyncSet,
    events: Events,
    taken: usize,
}

impl EventStream<'_> {
    /// The next event. If there is none, the future waits for it.
    ///
    /// # Errors
    ///
    /// As [`AsyncSet::read`].
    pub async fn next(&mut self) -> io::Result<Event> {
        loop {
            if let Some(event) = self.events.get(self.taken) {
                self.taken += 1;
                return Ok(*event);
            }
            self.taken = 0;
            self.set.read(&mut self.events).await?;
        }
    }
}

impl fmt::Debug for EventStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = self.events.len() - self.taken;
        f.debug_struct("EventStream").field("held", &held).finish_non_exhaustive()
    }
}

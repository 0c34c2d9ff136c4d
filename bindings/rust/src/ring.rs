// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! The ring of events.

use crate::abi::{word, TwheelEvent, MMAP_RING, RING_MORE};
use crate::event::{Event, Events};
use crate::sys::{page_size, Mapping};
use crate::table::entries_to_map;
use crate::Set;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::os::unix::io::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The most events that a ring has: 64 MiB
const ENTRIES_MAX: usize = 1 << 20;

/// The ring of events in shared memory: events arrive without a system call.
///
/// From the first mapping on, all events of the set go to the ring, and [`Set::read`] fails
/// with `EBUSY`. Like a [`Table`](crate::Table), a ring borrows or holds its set.
///
/// ```no_run
/// # use twheel::{Events, Set};
/// # fn main() -> std::io::Result<()> {
/// let set = Set::open()?;
/// let mut ring = set.ring(4096)?;
/// let mut events = Events::with_capacity(256);
/// while ring.wait(None)? {
///     ring.take(&mut events);
///     for event in &events {
///         println!("timer {} expired", event.cookie());
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// Two mappings of one ring share one place to read from. A program has to see to it that one
/// of them at a time takes events; otherwise events come twice, or torn.
pub struct Ring<S> {
    mapping: Mapping,
    set: S,
    entries: usize,
    /// The first word of the events
    first: usize,
}

impl<S: Deref<Target = Set>> Ring<S> {
    /// Map the ring. The first mapping of an open file fixes the number of events, rounded up
    /// to a power of two and to at least a page. Later mappings get the whole ring, and may
    /// ask for 0 events.
    ///
    /// # Errors
    ///
    /// As [`Table::map`](crate::Table::map).
    pub fn map(set: S, entries: usize) -> io::Result<Ring<S>> {
        loop {
            let existing = set.info()?.ring_entries();
            let wanted = entries_to_map(entries, existing, ENTRIES_MAX)?;
            let wanted = wanted.next_power_of_two().max(page_size() / (word::EVENT * 8));
            let size = page_size() + wanted * word::EVENT * 8;
            let mapping = Mapping::new(set.as_fd(), MMAP_RING, size)?;
            let pair = halves(&mapping.words()[word::RING_ENTRIES_OFFSET]);
            let (entries, first) = (pair[0] as usize, pair[1] as usize / 8);
            // Otherwise another process has made the ring meanwhile, with another size.
            if entries == wanted {
                return Ok(Ring { mapping, set, entries, first });
            }
        }
    }

    /// The set of the ring.
    pub fn set(&self) -> &Set {
        &self.set
    }

    /// How many events the ring holds at most.
    pub fn entries(&self) -> usize {
        self.entries
    }

    fn head(&self) -> &AtomicU64 {
        &self.mapping.words()[word::RING_HEAD]
    }

    /// How many events can be taken now.
    pub fn available(&self) -> usize {
        let tail = self.mapping.words()[word::RING_TAIL].load(Ordering::Acquire);
        let count = tail.wrapping_sub(self.head().load(Ordering::Relaxed));
        usize::try_from(count).map_or(self.entries, |count| count.min(self.entries))
    }

    /// Take events out of the ring, as many as there are and as fit into the buffer. Returns
    /// how many. The call does not wait.
    pub fn take(&mut self, events: &mut Events) -> usize {
        let count = self.available().min(events.capacity());
        let head = self.head().load(Ordering::Relaxed);
        for (i, event) in events.buffer[..count].iter_mut().enumerate() {
            *event = self.event(head.wrapping_add(i as u64));
        }
        events.filled = count;
        // From here on the kernel may write to the places that have been read.
        self.head().store(head.wrapping_add(count as u64), Ordering::Release);
        count
    }

    /// A copy of the event with this number.
    fn event(&self, number: u64) -> Event {
        let index = number as usize & (self.entries - 1);
        let first = self.first + index * word::EVENT;
        let words = &self.mapping.words()[first..first + word::EVENT];
        let word = |i: usize| words[i].load(Ordering::Relaxed);
        let [r#type, flags] = halves(&words[5]);
        let [clockid, pad] = halves(&words[6]);
        Event(TwheelEvent {
            handle: word(0),
            cookie: word(1),
            deadline_ns: word(2),
            expired_ns: word(3),
            count: word(4),
            r#type,
            flags,
            clockid,
            pad,
            reserved: [word(7)],
        })
    }

    /// Whether the kernel may have more events than the ring holds. A program that waits with
    /// `EPOLLET`, for an eventfd or not at all then calls [`wait`](Ring::wait) with a timeout
    /// of 0, which moves them into the ring.
    pub fn more(&self) -> bool {
        let flags = halves(&self.mapping.words()[word::RING_FLAGS])[0];
        flags & RING_MORE != 0
    }

    /// Wait until the ring has events, and let the kernel fill it. Returns false after the
    /// timeout. `None` is no timeout. Fails with `Interrupted` after a signal.
    pub fn wait(&self, timeout: Option<Duration>) -> io::Result<bool> {
        self.set.wait(timeout)
    }
}

/// Two neighbouring 32-bit fields
fn halves(word: &AtomicU64) -> [u32; 2] {
    let bytes = word.load(Ordering::Acquire).to_ne_bytes();
    let half = |at: usize| {
        u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    [half(0), half(4)]
}

impl<S> fmt::Debug for Ring<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring").field("entries", &self.entries).finish_non_exhaustive()
    }
}

// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! The table of deadlines.

use crate::abi::{word, INDEX_MASK, MMAP_TABLE, WORD_CLOSED};
use crate::sys::{page_size, Mapping};
use crate::time::to_ns;
use crate::{Set, Timer};
use std::fmt;
use std::io;
use std::ops::Deref;
use std::os::unix::io::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The most entries that a driver has
const ENTRIES_MAX: usize = 1 << 24;

/// The result of [`Table::push_back`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// The timer has the new deadline, and does not expire before it.
    Done,
    /// The timer keeps its deadline, which is as late or later.
    Before,
    /// The timer has expired or is gone. If it has expired, its event has been delivered or
    /// will be.
    Not,
}

/// The table of deadlines in shared memory, with an entry for each timer that was added with
/// [`Op::shared`](crate::Op::shared).
///
/// The table refers to its set, so that the set lives as long. `S` is `&Set` if the
/// table is to borrow the set, and `Arc<Set>` or `Rc<Set>` if it is to hold it:
///
/// ```no_run
/// # use std::{sync::Arc, time::Duration};
/// use twheel::{Clock, Op, Pushed, Set, Table};
///
/// # fn main() -> std::io::Result<()> {
/// let set = Arc::new(Set::open()?);
/// let table = Table::map(Arc::clone(&set), 4096)?;
/// let timer = set.add(Op::after(Duration::from_secs(5), 7).shared())?;
///
/// // A heartbeat, in any thread:
/// let deadline = Clock::Monotonic.now() + Duration::from_secs(5);
/// assert_eq!(table.push_back(timer, deadline), Pushed::Done);
/// # Ok(())
/// # }
/// ```
///
/// A table that borrows its set cannot outlive it:
///
/// ```compile_fail,E0505
/// # use std::time::Duration;
/// # use twheel::{Set, Timer};
/// # fn main() -> std::io::Result<()> {
/// let set = Set::open()?;
/// let table = set.table(4096)?;
/// drop(set); // error: cannot move out of `set` because it is borrowed
/// table.push_back(Timer::from_raw(1).unwrap(), Duration::from_secs(1));
/// # Ok(())
/// # }
/// ```
pub struct Table<S> {
    mapping: Mapping,
    set: S,
}

impl<S: Deref<Target = Set>> Table<S> {
    /// Map the table. The first mapping of an open file fixes the number of entries, rounded
    /// up to whole pages. Later mappings get the whole table, and may ask for 0 entries.
    ///
    /// # Errors
    ///
    /// `EINVAL` if that is more than the table has or can have, or 0 for the first mapping.
    /// `EDQUOT`, `ENOMEM`. `EOPNOTSUPP` in a 32-bit kernel.
    pub fn map(set: S, entries: usize) -> io::Result<Table<S>> {
        let page = page_size();
        loop {
            let existing = set.info()?.table_entries();
            let wanted = entries_to_map(entries, existing, ENTRIES_MAX)?;
            let size = (wanted * word::SIZE * 8 + page - 1) / page * page;
            let mapping = Mapping::new(set.as_fd(), MMAP_TABLE, size)?;
            // Otherwise another thread has made the table meanwhile, with another size.
            if set.info()?.table_entries() * word::SIZE * 8 == size {
                return Ok(Table { mapping, set });
            }
        }
    }

    /// The set of the table.
    pub fn set(&self) -> &Set {
        &self.set
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.mapping.words().len() / word::SIZE
    }

    /// The entry of a timer: its deadline and its handle.
    fn entry(&self, timer: Timer) -> Option<(&AtomicU64, &AtomicU64)> {
        let first = (timer.to_raw() & INDEX_MASK) as usize * word::SIZE;
        let entry = self.mapping.words().get(first..first + word::SIZE)?;
        Some((&entry[word::DEADLINE], &entry[word::HANDLE]))
    }

    /// Give a timer a later deadline, a reading of [`Clock::Monotonic`](crate::Clock). For an
    /// earlier deadline use [`Set::change`].
    ///
    /// The call makes two reads and one compare-and-exchange, and repeats them if another
    /// thread changes the deadline in between.
    pub fn push_back(&self, timer: Timer, deadline: Duration) -> Pushed {
        let later = to_ns(deadline);
        let (deadline, handle) = match self.entry(timer) {
            Some(entry) => entry,
            None => return Pushed::Not,
        };
        let mut seen = deadline.load(Ordering::Acquire);
        loop {
            if seen & WORD_CLOSED != 0 || handle.load(Ordering::Relaxed) != timer.to_raw() {
                return Pushed::Not;
            }
            if seen >= later {
                return Pushed::Before;
            }
            match deadline.compare_exchange_weak(
                seen,
                later,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return Pushed::Done,
                Err(changed) => seen = changed,
            }
        }
    }
}

impl<S> fmt::Debug for Table<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").finish_non_exhaustive()
    }
}

/// The number of entries to map: all existing ones, if a mapping has fixed their number.
pub(crate) fn entries_to_map(
    wanted: usize,
    existing: usize,
    most: usize,
) -> io::Result<usize> {
    match (wanted, existing) {
        (1.., 0) if wanted <= most => Ok(wanted),
        (_, 1..) if wanted <= existing => Ok(existing),
        _ => Err(io::Error::from_raw_os_error(libc::EINVAL)),
    }
}

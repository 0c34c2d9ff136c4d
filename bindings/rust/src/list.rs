// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
//! The list of all timers.

use crate::op::Op;
use crate::{sys, Set};
use std::fmt;
use std::io;
use std::os::unix::io::AsFd;

const CHUNK: usize = 1024;

/// An iterator over the timers of a set, from [`Set::list`].
///
/// ```no_run
/// # use twheel::Set;
/// # fn main() -> std::io::Result<()> {
/// # let set = Set::open()?;
/// for record in set.list() {
///     let status = record?.status()?;
///     println!("timer {} is due at {:?}", status.cookie, status.deadline);
/// }
/// # Ok(())
/// # }
/// ```
///
/// After an error the next record is tried again, so that a loop ends at the first error.
pub struct List<'a> {
    set: &'a Set,
    cursor: u64,
    records: Box<[Op]>,
    filled: usize,
    next: usize,
}

impl<'a> List<'a> {
    pub(crate) fn new(set: &'a Set) -> List<'a> {
        let records = vec![Op::default(); CHUNK].into();
        List { set, cursor: 0, records, filled: 0, next: 0 }
    }

    fn fill(&mut self) -> io::Result<()> {
        loop {
            match sys::list(self.set.as_fd(), &mut self.records, &mut self.cursor) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => {
                    self.next = 0;
                    self.filled = result?;
                    return Ok(());
                }
            }
        }
    }
}

impl Iterator for List<'_> {
    type Item = io::Result<Op>;

    fn next(&mut self) -> Option<io::Result<Op>> {
        if self.next == self.filled {
            if let Err(error) = self.fill() {
                return Some(Err(error));
            }
        }
        let record = *self.records[..self.filled].get(self.next)?;
        self.next += 1;
        Some(Ok(record))
    }
}

impl fmt::Debug for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List").field("cursor", &self.cursor).finish_non_exhaustive()
    }
}

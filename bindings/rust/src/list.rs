// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! The list of all timers.

use crate::op::Op;
use crate::{sys, Set};
use std::fmt;
use std::io;
use std::iter::FusedIterator;
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
/// An error is the last item: a loop that leaves errors out ends, too.
pub struct List<'a> {
    set: &'a Set,
    cursor: u64,
    records: Box<[Op]>,
    filled: usize,
    next: usize,
    ended: bool,
}

impl<'a> List<'a> {
    pub(crate) fn new(set: &'a Set) -> List<'a> {
        let records = vec![Op::default(); CHUNK].into();
        List { set, cursor: 0, records, filled: 0, next: 0, ended: false }
    }

    fn fill(&mut self) -> io::Result<()> {
        loop {
            match sys::list(self.set.as_fd(), &mut self.records, &mut self.cursor) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => {
                    (self.next, self.filled) = (0, 0);
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
        if self.next == self.filled && !self.ended {
            let filled = self.fill();
            self.ended = self.next == self.filled || filled.is_err();
            if let Err(error) = filled {
                return Some(Err(error));
            }
        }
        let record = *self.records[..self.filled].get(self.next)?;
        self.next += 1;
        Some(Ok(record))
    }
}

impl FusedIterator for List<'_> {}

impl fmt::Debug for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List").field("cursor", &self.cursor).finish_non_exhaustive()
    }
}

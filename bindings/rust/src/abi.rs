// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! The numbers and the structures of `linux/twheel.h`. A test compares them with the header.

pub(crate) const ABI_MAJOR: u32 = 1;

pub(crate) const OP_ADD: u32 = 1;
pub(crate) const OP_CHANGE: u32 = 2;
pub(crate) const OP_CANCEL: u32 = 3;
pub(crate) const OP_QUERY: u32 = 4;
pub(crate) const OP_UPSERT: u32 = 5;
pub(crate) const OP_CANCEL_GROUP: u32 = 6;

pub(crate) const ABSTIME: u32 = 1 << 0;
pub(crate) const EACH: u32 = 1 << 1;
pub(crate) const RESTART: u32 = 1 << 2;
pub(crate) const RESTORE: u32 = 1 << 3;
pub(crate) const SHARED: u32 = 1 << 4;
pub(crate) const KEEP_HANDLE: u32 = 1 << 5;
pub(crate) const LEASED: u32 = 1 << 6;

pub(crate) const ADDED: i32 = 2;

pub(crate) const EVENT_TIMER: u32 = 1;
pub(crate) const EVENT_CLOCK_SET: u32 = 2;

pub(crate) const EVENT_LEASE_CLOSED: u32 = 1 << 0;
pub(crate) const DRAIN_RESUME: u32 = 1 << 0;
pub(crate) const LEASE_EXPIRE_ON_CLOSE: u32 = 1 << 0;

pub(crate) const MMAP_TABLE: i64 = 0;
pub(crate) const MMAP_RING: i64 = 1 << 32;
pub(crate) const WORD_CLOSED: u64 = 1 << 63;
pub(crate) const INDEX_MASK: u64 = 0xff_ffff;
pub(crate) const RING_MORE: u32 = 1 << 0;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct TwheelInfo {
    pub abi_major: u32,
    pub abi_minor: u32,
    pub resolution_ns: u32,
    pub max_batch: u32,
    pub features: u64,
    pub clocks: u64,
    pub max_timers: u64,
    pub timers: u64,
    pub min_period_ns: u64,
    pub max_timers_user: u64,
    pub timers_user: u64,
    pub unread: u64,
    pub table_entries: u32,
    pub ring_entries: u32,
    pub reserved: [u64; 5],
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct TwheelOp {
    pub op: u32,
    pub flags: u32,
    pub clockid: u32,
    pub result: i32,
    pub handle: u64,
    pub cookie: u64,
    pub time_ns: u64,
    pub period_ns: u64,
    pub group: u64,
    pub window_ns: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct TwheelBatch {
    pub ops: u64,
    pub count: u32,
    pub flags: u32,
    pub reserved: [u64; 6],
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct TwheelEvent {
    pub handle: u64,
    pub cookie: u64,
    pub deadline_ns: u64,
    pub expired_ns: u64,
    pub count: u64,
    pub r#type: u32,
    pub flags: u32,
    pub clockid: u32,
    pub pad: u32,
    pub reserved: [u64; 1],
}

/// `struct twheel_drain` has the fields of `struct twheel_batch`.
pub(crate) type TwheelDrain = TwheelBatch;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct TwheelList {
    pub ops: u64,
    pub cursor: u64,
    pub count: u32,
    pub flags: u32,
    pub reserved: [u64; 5],
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct TwheelLease {
    pub handle: u64,
    pub cap_ns: u64,
    pub flags: u32,
    pub fd: i32,
    pub reserved: [u64; 5],
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct TwheelEventfd {
    pub fd: i32,
    pub flags: u32,
    pub reserved: [u64; 7],
}

/// Places of 64-bit words in `struct twheel_word` and `struct twheel_ring`
pub(crate) mod word {
    /// Words of an entry of the table
    pub(crate) const SIZE: usize = 2;
    pub(crate) const DEADLINE: usize = 0;
    pub(crate) const HANDLE: usize = 1;
    /// Words of the head of the ring. Two hold a pair of 32-bit fields.
    pub(crate) const RING_TAIL: usize = 0;
    pub(crate) const RING_ENTRIES_OFFSET: usize = 1;
    pub(crate) const RING_FLAGS: usize = 2;
    pub(crate) const RING_HEAD: usize = 8;
    pub(crate) const EVENT: usize = 8;
}

/// Numbers of ioctls. Some architectures encode the direction in another way.
pub(crate) mod ioc {
    use super::*;
    use std::mem::size_of;

    const OTHER: bool = cfg!(any(
        target_arch = "mips",
        target_arch = "mips64",
        target_arch = "powerpc",
        target_arch = "powerpc64",
        target_arch = "sparc64"
    ));
    const NONE: u32 = if OTHER { 1 << 29 } else { 0 };
    const READ: u32 = if OTHER { 2 << 29 } else { 2 << 30 };
    const WRITE: u32 = if OTHER { 4 << 29 } else { 1 << 30 };

    const fn number(direction: u32, number: u32, size: usize) -> u32 {
        direction | ((size as u32) << 16) | ((b't' as u32) << 8) | number
    }

    pub(crate) const INFO: u32 = number(READ, 0xa0, size_of::<TwheelInfo>());
    pub(crate) const ADD: u32 = number(READ | WRITE, 0xa1, size_of::<TwheelOp>());
    pub(crate) const CHANGE: u32 = number(WRITE, 0xa2, size_of::<TwheelOp>());
    pub(crate) const CANCEL: u32 = number(WRITE, 0xa3, size_of::<TwheelOp>());
    pub(crate) const QUERY: u32 = number(READ | WRITE, 0xa4, size_of::<TwheelOp>());
    pub(crate) const BATCH: u32 = number(WRITE, 0xa5, size_of::<TwheelBatch>());
    pub(crate) const UPSERT: u32 = number(READ | WRITE, 0xa6, size_of::<TwheelOp>());
    pub(crate) const CANCEL_GROUP: u32 = number(READ | WRITE, 0xa7, size_of::<TwheelOp>());
    pub(crate) const DRAIN: u32 = number(WRITE, 0xa8, size_of::<TwheelDrain>());
    pub(crate) const EVENTFD: u32 = number(WRITE, 0xa9, size_of::<TwheelEventfd>());
    pub(crate) const CLOCK_SET: u32 = number(NONE, 0xaa, 0);
    pub(crate) const LEASE: u32 = number(READ | WRITE, 0xab, size_of::<TwheelLease>());
    pub(crate) const LIST: u32 = number(READ | WRITE, 0xac, size_of::<TwheelList>());
    pub(crate) const LEASE_PUSH: u32 = number(NONE, 0xb0, 0);
    pub(crate) const LEASE_PUSH_BY: u32 = number(WRITE, 0xb1, size_of::<u64>());
    pub(crate) const LEASE_LEFT: u32 = number(READ, 0xb2, size_of::<u64>());
}

#[cfg(test)]
#[path = "abi_test.rs"]
mod test;

// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
//! The numbers and structures are those of `linux/twheel.h`: a C compiler compares them.

use super::*;
use std::fmt::Write as _;
use std::io::Write as _;
use std::mem::size_of;
use std::process::{Command, Stdio};

/// Adds "sizeof(...) == N" and "offsetof(...) == N" for a structure.
macro_rules! layout {
    ($claims:ident, $name:literal, $kind:ty, $($field:ident as $c_field:literal),+) => {
        let value = <$kind>::default();
        let start = std::ptr::addr_of!(value) as usize;
        claim($claims, concat!("sizeof(struct ", $name, ")"), size_of::<$kind>() as u64);
        $(
            let offset = std::ptr::addr_of!(value.$field) as usize - start;
            let field = concat!("offsetof(struct ", $name, ", ", $c_field, ")");
            claim($claims, field, offset as u64);
        )+
    };
}

fn claim(claims: &mut String, expression: &str, value: u64) {
    writeln!(claims, "_Static_assert(({expression}) == {value}ull, \"{expression}\");")
        .unwrap();
}

fn structures(claims: &mut String) {
    layout!(claims, "twheel_info", TwheelInfo, abi_major as "abi_major",
        abi_minor as "abi_minor", resolution_ns as "resolution_ns", max_batch as "max_batch",
        features as "features", clocks as "clocks", max_timers as "max_timers",
        timers as "timers", min_period_ns as "min_period_ns",
        max_timers_user as "max_timers_user", timers_user as "timers_user",
        unread as "unread", table_entries as "table_entries",
        ring_entries as "ring_entries", reserved as "reserved");
    layout!(claims, "twheel_op", TwheelOp, op as "op", flags as "flags",
        clockid as "clockid", result as "result", handle as "handle", cookie as "cookie",
        time_ns as "time_ns", period_ns as "period_ns", group as "group",
        window_ns as "window_ns"
    );
    layout!(claims, "twheel_batch", TwheelBatch, ops as "ops", count as "count",
        flags as "flags", reserved as "reserved");
    layout!(claims, "twheel_drain", TwheelDrain, ops as "ops", count as "count",
        flags as "flags", reserved as "reserved");
    layout!(claims, "twheel_event", TwheelEvent, handle as "handle", cookie as "cookie",
        deadline_ns as "deadline_ns", expired_ns as "expired_ns", count as "count",
        r#type as "type", flags as "flags", clockid as "clockid", pad as "pad",
        reserved as "reserved");
    layout!(claims, "twheel_list", TwheelList, ops as "ops", cursor as "cursor",
        count as "count", flags as "flags", reserved as "reserved");
    layout!(claims, "twheel_lease", TwheelLease, handle as "handle", cap_ns as "cap_ns",
        flags as "flags", fd as "fd", reserved as "reserved");
    layout!(claims, "twheel_eventfd", TwheelEventfd, fd as "fd", flags as "flags",
        reserved as "reserved");
}

fn numbers() -> Vec<(&'static str, u64)> {
    vec![
        ("TWHEEL_ABI_MAJOR", ABI_MAJOR.into()),
        ("TWHEEL_OP_ADD", OP_ADD.into()),
        ("TWHEEL_OP_CHANGE", OP_CHANGE.into()),
        ("TWHEEL_OP_CANCEL", OP_CANCEL.into()),
        ("TWHEEL_OP_QUERY", OP_QUERY.into()),
        ("TWHEEL_OP_UPSERT", OP_UPSERT.into()),
        ("TWHEEL_OP_CANCEL_GROUP", OP_CANCEL_GROUP.into()),
        ("TWHEEL_ABSTIME", ABSTIME.into()),
        ("TWHEEL_EACH", EACH.into()),
        ("TWHEEL_RESTART", RESTART.into()),
        ("TWHEEL_RESTORE", RESTORE.into()),
        ("TWHEEL_SHARED", SHARED.into()),
        ("TWHEEL_KEEP_HANDLE", KEEP_HANDLE.into()),
        ("TWHEEL_LEASED", LEASED.into()),
        ("TWHEEL_ADDED", ADDED as u64),
        ("TWHEEL_EVENT_TIMER", EVENT_TIMER.into()),
        ("TWHEEL_EVENT_CLOCK_SET", EVENT_CLOCK_SET.into()),
        ("TWHEEL_EVENT_LEASE_CLOSED", EVENT_LEASE_CLOSED.into()),
        ("TWHEEL_DRAIN_RESUME", DRAIN_RESUME.into()),
        ("TWHEEL_LEASE_EXPIRE_ON_CLOSE", LEASE_EXPIRE_ON_CLOSE.into()),
        ("TWHEEL_MMAP_TABLE", MMAP_TABLE as u64),
        ("TWHEEL_MMAP_RING", MMAP_RING as u64),
        ("TWHEEL_WORD_CLOSED", WORD_CLOSED),
        ("TWHEEL_INDEX(~0ull)", INDEX_MASK),
        ("TWHEEL_RING_MORE", RING_MORE.into()),
        ("sizeof(struct twheel_word)", 8 * word::SIZE as u64),
        ("offsetof(struct twheel_word, deadline)", 8 * word::DEADLINE as u64),
        ("offsetof(struct twheel_word, handle)", 8 * word::HANDLE as u64),
        ("offsetof(struct twheel_ring, tail)", 8 * word::RING_TAIL as u64),
        ("offsetof(struct twheel_ring, entries)", 8 * word::RING_ENTRIES_OFFSET as u64),
        ("offsetof(struct twheel_ring, offset)", 8 * word::RING_ENTRIES_OFFSET as u64 + 4),
        ("offsetof(struct twheel_ring, flags)", 8 * word::RING_FLAGS as u64),
        ("offsetof(struct twheel_ring, head)", 8 * word::RING_HEAD as u64),
        ("sizeof(struct twheel_event)", 8 * word::EVENT as u64),
        ("TWHEEL_IOC_INFO", ioc::INFO.into()),
        ("TWHEEL_IOC_ADD", ioc::ADD.into()),
        ("TWHEEL_IOC_CHANGE", ioc::CHANGE.into()),
        ("TWHEEL_IOC_CANCEL", ioc::CANCEL.into()),
        ("TWHEEL_IOC_QUERY", ioc::QUERY.into()),
        ("TWHEEL_IOC_BATCH", ioc::BATCH.into()),
        ("TWHEEL_IOC_UPSERT", ioc::UPSERT.into()),
        ("TWHEEL_IOC_CANCEL_GROUP", ioc::CANCEL_GROUP.into()),
        ("TWHEEL_IOC_DRAIN", ioc::DRAIN.into()),
        ("TWHEEL_IOC_EVENTFD", ioc::EVENTFD.into()),
        ("TWHEEL_IOC_CLOCK_SET", ioc::CLOCK_SET.into()),
        ("TWHEEL_IOC_LEASE", ioc::LEASE.into()),
        ("TWHEEL_IOC_LIST", ioc::LIST.into()),
        ("TWHEEL_LEASE_IOC_PUSH", ioc::LEASE_PUSH.into()),
        ("TWHEEL_LEASE_IOC_PUSH_BY", ioc::LEASE_PUSH_BY.into()),
        ("TWHEEL_LEASE_IOC_LEFT", ioc::LEASE_LEFT.into()),
    ]
}

fn all_numbers() -> impl Iterator<Item = (&'static str, u64)> {
    numbers().into_iter().chain(crate::set::feature_numbers())
}

#[test]
fn numbers_are_the_headers() {
    let mut claims = String::from("#include <stddef.h>\n#include <linux/twheel.h>\n");
    structures(&mut claims);
    for (expression, value) in all_numbers() {
        claim(&mut claims, expression, value);
    }
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../include/uapi");
    let mut compiler = Command::new("cc")
        .args(["-x", "c", "-fsyntax-only", include, "-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("a C compiler");
    compiler.stdin.take().unwrap().write_all(claims.as_bytes()).unwrap();
    assert!(compiler.wait().unwrap().success());
}

/// What the crate needs no number for: `Op::state` takes each result but 0 for the last two.
const OTHERS: [&str; 3] = ["TWHEEL_ABI_MINOR", "TWHEEL_RETRACTED", "TWHEEL_EXPIRED"];

/// The numbers above are all of the recorded interface.
#[test]
fn numbers_are_all_of_the_header() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Documentation/abi/twheel.txt");
    let record = std::fs::read_to_string(path).expect("the record of the interface");
    let mut count = 0;
    for line in record.lines().filter(|line| line.contains(" = ")) {
        let name = line.split_whitespace().find(|word| word.starts_with("TWHEEL_")).unwrap();
        let known = all_numbers().any(|(number, _)| number == name);
        assert!(known || OTHERS.contains(&name), "{name} is missing");
        count += 1;
    }
    assert!(count >= 50, "the record has only {count} constants");
}

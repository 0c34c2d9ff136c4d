// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

// Package twheel gives programs millions of timers on one file descriptor: /dev/twheel, from
// the Linux module twheel.
//
// A [Set] is an open file of the device, with timers of its own. A timer expires at the first
// tick of the system at or after its deadline, and never early. Its expiry is an [Event],
// which [Set.Read] returns. A Read that waits parks its goroutine, not a thread.
//
//	set, err := twheel.Open()
//	if err != nil {
//		return err
//	}
//	defer set.Close()
//	timer, err := set.Add(twheel.After(30*time.Second, 42))
//	...
//	events := make([]twheel.Event, 64)
//	n, err := set.Read(events)
//
// An [Op] is an operation: add, change, cancel, query. [Set.Submit] carries out a slice of
// them, 4,096 in a system call. A [Table] pushes deadlines back without a system call, and a
// [Ring] delivers events without one. A [Lease] is a descriptor for another process, which
// pushes one deadline back: if the process dies or hangs, the timer expires.
//
// All methods of a Set and of a Table may be called from many goroutines at once. After
// Close they fail with [os.ErrClosed], or do nothing.
//
// A time is a [time.Duration]. A negative one is an error, EINVAL, whether it is a delay, a
// deadline, a period, a window or a cap.
//
// Errors of the kernel are wrapped [syscall.Errno] values: errors.Is(err, syscall.EDQUOT),
// and errors.Is(err, fs.ErrNotExist) for a timer that is gone. The kernel's header
// linux/twheel.h says which call fails with which error, and documents the interface in full.
//
// The package speaks to the device directly. It needs neither cgo nor another module.
package twheel

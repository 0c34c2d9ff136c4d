// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"syscall"
	"time"
	"unsafe"
)

// Timer is the handle of a timer, a name within its set. It is a plain number: the timer may
// be gone, and its operations then fail with ENOENT. The kernel does not give the same number
// to another timer of the set before 2^40 - 1 more adds. 0 is no timer.
type Timer uint64

// Clock is a clock that deadlines are measured on. A reading of a clock is a time.Duration
// since the clock's zero: boot, or 1970 for Realtime.
type Clock uint32

// The clocks
const (
	Realtime  Clock = 0 // is set by people and by the network; needs a deadline, not a delay
	Monotonic Clock = 1 // stands still while the system is suspended
	Boottime  Clock = 7 // goes on while the system is suspended
)

// Now returns what the clock says.
func (c Clock) Now() time.Duration {
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, uintptr(c), uintptr(unsafe.Pointer(&now)), 0)
	return time.Duration(now.Nano())
}

// Flags change what an operation does.
type Flags uint32

// The flags
const (
	Absolute   Flags = 1 << 0 // Op.Time is a reading of the clock, not a delay
	Each       Flags = 1 << 1 // periodic: each missed deadline has an event of its own
	Restart    Flags = 1 << 2 // periodic: the next deadline is a period after the delivery
	Restore    Flags = 1 << 3 // set by Drain and List: Op.Timer is for reference
	Shared     Flags = 1 << 4 // the timer has an entry in the Table, which must be mapped
	KeepHandle Flags = 1 << 5 // with Restore: the timer gets the handle in Op.Timer
	Leased     Flags = 1 << 6 // set by Query, List and Drain: the timer has a lease
)

// State is the state in which an operation found a timer.
type State int

// The states
const (
	Pending State = 0 // the deadline had not come
	Expired State = 1 // the event was unread; Change and Cancel have withdrawn it
	Added   State = 2 // Upsert: the timer was gone, and a new one was added
)

// An Op is an operation on one timer, or on a group. The functions below make one, and the
// program may change its fields before it uses the operation.
//
// An operation with a negative Time, Period or Window fails with EINVAL.
type Op struct {
	code   uint32
	Flags  Flags
	Clock  Clock
	result int32
	Timer  Timer         // set when a timer was added
	Cookie uint64        // comes back with the timer's events
	Time   time.Duration // a delay from now, or with Absolute a reading of the clock
	Period time.Duration // 0 for a one-shot timer
	Group  uint64        // 0, or a tag for CancelGroup
	Window time.Duration // how late the timer may expire
}

// After adds a timer on CLOCK_MONOTONIC that expires after a delay, counted from the call
// that adds the timer.
func After(delay time.Duration, cookie uint64) Op {
	return Op{code: opAdd, Clock: Monotonic, Time: delay, Cookie: cookie}
}

// At adds a timer that expires when the clock says deadline.
func At(clock Clock, deadline time.Duration, cookie uint64) Op {
	return Op{code: opAdd, Flags: Absolute, Clock: clock, Time: deadline, Cookie: cookie}
}

// AtTime adds a timer on CLOCK_REALTIME. If the clock is set, the timer expires sooner or
// later accordingly. A time before 1970 is negative, and one after 2262 counts as never.
func AtTime(when time.Time, cookie uint64) Op {
	// Sub keeps to the range of a Duration. UnixNano does not.
	return At(Realtime, when.Sub(time.Unix(0, 0)), cookie)
}

// Every adds a periodic timer. It expires first after one period. The add fails with EINVAL if
// the period is 0, or otherwise shorter than Info.MinPeriod.
func Every(period time.Duration, cookie uint64) Op {
	op := After(period, cookie)
	op.Period = period
	if period == 0 {
		op.Period = 1 // 0 would mean a one-shot timer
	}
	return op
}

// Change gives a timer a new deadline, a delay from now.
func Change(timer Timer, delay time.Duration) Op {
	return Op{code: opChange, Timer: timer, Time: delay}
}

// ChangeAt gives a timer a new deadline, a reading of the timer's clock.
func ChangeAt(timer Timer, deadline time.Duration) Op {
	return Op{code: opChange, Flags: Absolute, Timer: timer, Time: deadline}
}

// Cancel ends a timer.
func Cancel(timer Timer) Op {
	return Op{code: opCancel, Timer: timer}
}

// Query looks at a timer: it sets Cookie, Time (the deadline), Period, Clock, Group,
// Window and Flags.
func Query(timer Timer) Op {
	return Op{code: opQuery, Flags: Absolute, Timer: timer}
}

// Upsert turns an operation that adds a timer into one that changes the timer, and adds a
// timer only if the timer is gone or 0.
func Upsert(timer Timer, add Op) Op {
	add.code, add.Timer = opUpsert, timer
	return add
}

// CancelGroup ends all timers of a group. Its result is how many there were.
func CancelGroup(group uint64) Op {
	return Op{code: opCancelGroup, Group: group}
}

// Err returns the error of an operation that Submit has carried out, or nil.
func (op *Op) Err() error {
	if op.result < 0 {
		return syscall.Errno(-op.result)
	}
	return nil
}

// Result returns the result of an operation that Submit has carried out, if it has no error.
func (op *Op) Result() int { return int(op.result) }

// State returns the state in which Change, Cancel, Query, Upsert or List found the timer.
func (op *Op) State() State { return State(op.result) }

// EventType says what an event tells. A program ignores types that it does not know.
type EventType uint32

// The types of events
const (
	EventTimer    EventType = 1 // a timer has expired
	EventClockSet EventType = 2 // CLOCK_REALTIME was set, see WatchClock
)

// EventFlags tell more about an event.
type EventFlags uint32

// LeaseClosed means that the timer expired because the last copy of its lease was closed:
// usually because the holder has died. Event.Deadline is then the time of the close, unless
// the deadline was earlier.
const LeaseClosed EventFlags = 1 << 0

// An Event is the expiry of a timer, or tells that a clock was set.
//
// Events come in the order of the ticks at which the timers came due. This is not always
// the order of their deadlines.
type Event struct {
	Timer    Timer         // a one-shot timer ends when its event is delivered
	Cookie   uint64        // of the timer
	Deadline time.Duration // on the timer's clock; the first, if there are several
	Expired  time.Duration // when the tick began at which the timer came due; never before the deadline
	Count    uint64        // how many deadlines of a periodic timer the event stands for
	Type     EventType
	Flags    EventFlags
	Clock    Clock // of the timer
	_        uint32
	_        uint64
}

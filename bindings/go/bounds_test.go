// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The table of bindings/README. A time.Duration cannot be 2^63 or more, NaN or infinite, and
// no number can be 2^64: the compiler refuses these constants.
var times = []time.Duration{0, 1, 1 << 31, 1 << 32, 1<<53 + 1, math.MaxInt64}
var negative = []time.Duration{-1, -time.Hour, -1 << 32, math.MinInt64}

// deadline returns the deadline of a timer.
func deadline(set *Set, timer Timer) time.Duration {
	op, _, err := set.Query(timer)
	return must(op.Time, err)
}

func TestNumbersAtTheBoundsAreKept(t *testing.T) {
	set := open(t)
	timer := must(set.Add(After(time.Hour, 1)))
	for _, wanted := range times {
		equal(t, "at", deadline(set, must(set.Add(At(Monotonic, wanted, 1)))), wanted)
		must(set.ChangeAt(timer, wanted))
		equal(t, "change", deadline(set, timer), wanted)
		before := Monotonic.Now()
		must(set.Change(timer, wanted))
		// A deadline beyond the last one is the last one.
		if got := deadline(set, timer); got < wanted || got < before {
			t.Errorf("a delay of %d: deadline %d", wanted, got)
		}
		add := After(time.Hour, 1)
		add.Window = wanted
		op, _, err := set.Query(must(set.Add(add)))
		equal(t, "window", must(op.Window, err), wanted)
		if wanted >= must(set.Info()).MinPeriod {
			op, _, err := set.Query(must(set.Add(Every(wanted, 1))))
			equal(t, "period", must(op.Period, err), wanted)
		}
	}
	for _, wanted := range []uint64{0, 1, 1 << 31, 1 << 32, 1<<53 + 1, math.MaxInt64, 1 << 63,
		math.MaxUint64} {
		add := After(time.Hour, wanted)
		add.Group = wanted
		op, _, err := set.Query(must(set.Add(add)))
		equal(t, "cookie", must(op.Cookie, err), wanted)
		equal(t, "group", op.Group, wanted)
	}
}

func TestNegativeTimesAreRefused(t *testing.T) {
	set := open(t)
	table := must(set.Table(1))
	timer := must(set.Add(After(time.Hour, 1)))
	lease := must(set.Lease(timer, 2*time.Hour, OnCloseWait))
	defer lease.Close()
	add := After(time.Hour, 1)
	add.Flags |= Shared
	shared := must(set.Add(add))
	add = After(time.Hour, 1)
	before, beforeShared := deadline(set, timer), deadline(set, shared)
	for _, wrong := range negative {
		windowed := After(time.Hour, 1)
		windowed.Window = wrong
		for _, op := range []Op{After(wrong, 1), At(Monotonic, wrong, 1), Every(wrong, 1),
			AtTime(time.Unix(0, 0).Add(wrong), 1), AtTime(time.Time{}, 1), windowed} {
			_, err := set.Add(op)
			fails(t, "add", err, syscall.EINVAL)
		}
		_, err := set.Change(timer, wrong)
		fails(t, "change", err, syscall.EINVAL)
		_, err = set.ChangeAt(timer, wrong)
		fails(t, "change", err, syscall.EINVAL)
		_, _, err = set.Upsert(timer, After(wrong, 1))
		fails(t, "upsert", err, syscall.EINVAL)
		ops := []Op{Change(timer, wrong), ChangeAt(timer, wrong), Upsert(timer, After(wrong, 1))}
		must(set.Submit(ops))
		for i := range ops {
			fails(t, "submit", ops[i].Err(), syscall.EINVAL)
		}
		_, err = set.Lease(must(set.Add(add)), wrong, OnCloseWait)
		fails(t, "lease", err, syscall.EINVAL)
		fails(t, "push", lease.PushBy(wrong), syscall.EINVAL)
		equal(t, "push", table.PushBack(shared, wrong), PushedBefore)
	}
	equal(t, "deadline", deadline(set, timer), before)
	equal(t, "deadline", deadline(set, shared), beforeShared)
	equal(t, "timers", must(set.Info()).Timers, uint64(2+len(negative)))
}

// Cut to 32 bits, these would be another number: standard input, or no flags.
func TestNumbersThatDoNotFitAreRefused(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int has 32 bits")
	}
	set := open(t)
	timer := must(set.Add(After(time.Hour, 1)))
	big := int(int64(1) << 32 & math.MaxInt)
	_, err := set.Lease(timer, time.Hour, OnClose(big))
	names(t, "onClose", err, syscall.EINVAL)
	names(t, "fd", set.SignalEventfd(big), syscall.EBADF)
	_, err = FromFD(uintptr(big))
	names(t, "fd", err, syscall.EBADF)
	_, err = LeaseFromFD(uintptr(big))
	names(t, "fd", err, syscall.EBADF)
	for _, entries := range []int{-1, math.MinInt, math.MaxInt, big} {
		_, err = set.Table(entries)
		fails(t, "table", err, syscall.EINVAL)
		_, err = set.Ring(entries)
		fails(t, "ring", err, syscall.EINVAL)
	}
	op, _, err := set.Query(timer)
	equal(t, "leased", must(op.Flags, err)&Leased, 0)
}

// names checks that an error is the wanted one, and names what is wrong.
func names(t *testing.T, what string, err, wanted error) {
	t.Helper()
	if !errors.Is(err, wanted) || !strings.HasPrefix(err.Error(), what+" ") {
		t.Errorf("%v, not %v of %s", err, wanted, what)
	}
}

func TestReadDeadlinesMayBeFarAway(t *testing.T) {
	set := open(t)
	for _, wait := range times[2:] {
		must(0, set.SetReadDeadline(time.Now().Add(wait)))
		must(set.Add(After(soon, 1)))
		equal(t, "events", must(set.Read(make([]Event, 1))), 1)
	}
}

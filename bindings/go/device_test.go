// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const soon = 20 * time.Millisecond

// open opens the device, and closes it when the test ends. Without the module, it skips the
// test.
func open(t *testing.T) *Set {
	t.Helper()
	set, err := Open()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("needs /dev/twheel")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set
}

// must returns a value that comes with no error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func equal[T comparable](t *testing.T, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s: %v, not %v", what, got, wanted)
	}
}

func fails(t *testing.T, what string, err, wanted error) {
	t.Helper()
	if !errors.Is(err, wanted) {
		t.Errorf("%s: %v, not %v", what, err, wanted)
	}
}

// expired adds a timer that has expired, with its event unread.
func expired(set *Set, cookie uint64) Timer {
	unread := must(set.Info()).Unread
	timer := must(set.Add(After(0, cookie)))
	for must(set.Info()).Unread == unread {
		time.Sleep(time.Millisecond)
	}
	return timer
}

func TestTimerExpiresOnceAndNotEarly(t *testing.T) {
	set := open(t)
	before := Monotonic.Now()
	timer := must(set.Add(After(soon, 42)))
	events := make([]Event, 4)
	equal(t, "events", must(set.Read(events)), 1)
	e := events[0]
	equal(t, "event", e, Event{Timer: timer, Cookie: 42, Deadline: e.Deadline,
		Expired: e.Expired, Count: 1, Type: EventTimer, Clock: Monotonic})
	if e.Deadline < before+soon || e.Expired < e.Deadline || e.Expired > Monotonic.Now() {
		t.Errorf("armed at %v, %+v", before, e)
	}
	_, err := set.Cancel(timer)
	fails(t, "cancel", err, fs.ErrNotExist)
}

func TestChangeAndCancelTellTheState(t *testing.T) {
	set := open(t)
	timer := must(set.Add(After(time.Hour, 1)))
	equal(t, "change", must(set.Change(timer, 2*time.Hour)), Pending)
	equal(t, "cancel", must(set.Cancel(timer)), Pending)
	_, err := set.Change(timer, time.Hour)
	fails(t, "change", err, syscall.ENOENT)

	timer = expired(set, 2)
	equal(t, "change", must(set.Change(timer, time.Hour)), Expired)
	equal(t, "cancel", must(set.Cancel(expired(set, 3))), Expired)
	equal(t, "unread", must(set.Info()).Unread, 0)
	equal(t, "timers", must(set.Info()).Timers, 1)
}

func TestQueryTellsWhatTheTimerIs(t *testing.T) {
	set := open(t)
	add := At(Boottime, Boottime.Now()+time.Hour, 7)
	add.Period, add.Group, add.Flags = 2*time.Hour, 9, add.Flags|Each
	timer := must(set.Add(add))
	op, state, err := set.Query(timer)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "state", state, Pending)
	add.code, add.Timer = 0, timer
	equal(t, "query", op, add)
	_, _, err = set.Query(timer + 1<<24)
	fails(t, "query", err, syscall.ENOENT)
}

func TestUpsertChangesOrAdds(t *testing.T) {
	set := open(t)
	timer, state, err := set.Upsert(0, After(time.Hour, 1))
	fails(t, "upsert", err, nil)
	equal(t, "state", state, Added)
	same, state, err := set.Upsert(timer, After(2*time.Hour, 1))
	fails(t, "upsert", err, nil)
	equal(t, "state", state, Pending)
	equal(t, "timer", same, timer)
}

func TestGroupEndsAsAWhole(t *testing.T) {
	set := open(t)
	ops := make([]Op, 100)
	for i := range ops {
		ops[i] = After(time.Hour, uint64(i))
		ops[i].Group = uint64(i%2 + 1)
	}
	equal(t, "submitted", must(set.Submit(ops)), 100)
	ended, retracted, err := set.CancelGroup(1)
	fails(t, "cancel group", err, nil)
	equal(t, "ended", ended, 50)
	equal(t, "retracted", retracted, 0)
	_, _, err = set.CancelGroup(1)
	fails(t, "cancel group", err, syscall.ENOENT)
}

func TestPeriodicTimerCountsWhatItMissed(t *testing.T) {
	set := open(t)
	period := must(set.Info()).MinPeriod
	for _, short := range []time.Duration{0, 1, -1} {
		_, err := set.Add(Every(short, 5))
		fails(t, "add", err, syscall.EINVAL)
	}
	must(set.Add(Every(period, 5)))
	time.Sleep(10 * period)
	events := make([]Event, 1)
	must(set.Read(events))
	if events[0].Count < 9 {
		t.Errorf("%+v", events[0])
	}
}

func TestEachOperationOfABatchHasItsResult(t *testing.T) {
	set := open(t)
	timer := must(set.Add(After(time.Hour, 1)))
	ops := []Op{Change(timer, 2*time.Hour), Cancel(timer), Cancel(timer), After(time.Hour, 2),
		Upsert(timer, After(time.Hour, 3)), CancelGroup(9)}
	ops[3].Flags |= Shared
	equal(t, "submitted", must(set.Submit(ops)), len(ops))
	for i, wanted := range []error{nil, nil, syscall.ENOENT, syscall.ENOSPC, nil,
		syscall.ENOENT} {
		fails(t, "result", ops[i].Err(), wanted)
	}
	equal(t, "upsert", ops[4].State(), Added)
}

func TestDrainedTimersCanBeAddedAgain(t *testing.T) {
	const count = 10000
	set := open(t)
	ops := make([]Op, count)
	for i := range ops {
		ops[i] = After(time.Hour, uint64(i))
	}
	must(set.Submit(ops))
	ops = make([]Op, count+1)
	equal(t, "drained", must(set.Drain(ops[:6000])), 6000)
	_, err := set.Add(After(time.Hour, 1))
	fails(t, "add", err, syscall.ESHUTDOWN)
	equal(t, "drained", must(set.Drain(ops[6000:])), count-6000)
	fails(t, "resume", set.Resume(), nil)
	equal(t, "restored", must(set.Submit(ops[:count])), count)
	sum := uint64(0)
	for i := range ops[:count] {
		fails(t, "restore", ops[i].Err(), nil)
		sum += ops[i].Cookie
	}
	equal(t, "cookies", sum, count*(count-1)/2)
}

func TestAtTimeKeepsToWhatTheKernelTakes(t *testing.T) {
	for year, wanted := range map[int]time.Duration{1: math.MinInt64,
		1969: -365 * 24 * time.Hour, 1970: 0,
		1971: 365 * 24 * time.Hour, 2263: math.MaxInt64, 2600: math.MaxInt64} {
		op := AtTime(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), 1)
		equal(t, "deadline", op.Time, wanted)
	}
}

func TestRealtimeTakesDeadlinesOnly(t *testing.T) {
	set := open(t)
	when := time.Now().Add(soon)
	timer := must(set.Add(AtTime(when, 1)))
	_, err := set.Change(timer, time.Hour)
	fails(t, "change", err, syscall.EINVAL)
	events := make([]Event, 1)
	must(set.Read(events))
	equal(t, "deadline", time.Unix(0, int64(events[0].Deadline)).Equal(when), true)
	fails(t, "watch clock", set.WatchClock(), nil)
}

// Many goroutines wait for events, in fewer threads.
func TestReadParksTheGoroutine(t *testing.T) {
	const readers = 500
	var group sync.WaitGroup
	for i := 0; i < readers; i++ {
		set := open(t)
		must(set.Add(After(10*soon, uint64(i))))
		group.Add(1)
		go func() {
			defer group.Done()
			equal(t, "events", must(set.Read(make([]Event, 1))), 1)
		}()
	}
	group.Wait()
	threads := must(os.ReadDir("/proc/self/task"))
	if len(threads) > 100 {
		t.Errorf("%d threads for %d readers", len(threads), readers)
	}
}

func TestReadDeadline(t *testing.T) {
	set := open(t)
	events := make([]Event, 1)
	set.SetReadDeadline(time.Now().Add(soon))
	_, err := set.Read(events)
	fails(t, "read", err, os.ErrDeadlineExceeded)
	set.SetReadDeadline(time.Time{})
	must(set.Add(After(soon, 1)))
	equal(t, "events", must(set.Read(events)), 1)
	equal(t, "no room", must(set.Read(nil)), 0)
	equal(t, "events", must(set.TryRead(events)), 0)
	expired(set, 2)
	equal(t, "events", must(set.TryRead(events)), 1)
	equal(t, "cookie", events[0].Cookie, 2)
}

func TestGoroutinesPushDeadlinesBack(t *testing.T) {
	const goroutines, times = 4, 10000
	set := open(t)
	table := must(set.Table(1000))
	add := After(time.Hour, 1)
	add.Flags |= Shared
	timer := must(set.Add(add))
	start := Monotonic.Now() + 2*time.Hour
	var group sync.WaitGroup
	var pushed int64
	for g := 0; g < goroutines; g++ {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			for i := 0; i < times; i++ {
				if table.PushBack(timer, start+time.Duration(goroutines*i+g)) == PushedDone {
					atomic.AddInt64(&pushed, 1)
				}
			}
		}(g)
	}
	group.Wait()
	if pushed < times || pushed > goroutines*times {
		t.Errorf("%d pushed", pushed)
	}
	last := start + goroutines*times - 1
	op, _, err := set.Query(timer)
	fails(t, "query", err, nil)
	equal(t, "deadline", op.Time, last)
	equal(t, "push", table.PushBack(timer, last), PushedBefore)
	must(set.Cancel(timer))
	equal(t, "push", table.PushBack(timer, 2*last), PushedNot)
	equal(t, "push", table.PushBack(^Timer(0), last), PushedNot)
}

// The kernel has given the entry of a timer that is gone to another timer.
func TestOldHandlesPushNothing(t *testing.T) {
	set := open(t)
	table := must(set.Table(1))
	add := After(time.Hour, 1)
	add.Flags |= Shared
	old := must(set.Add(add))
	for i := 1; i < table.Len(); i++ {
		must(set.Add(add))
	}
	must(set.Cancel(old))
	timer := must(set.Add(add))
	equal(t, "entry", timer&indexMask, old&indexMask)
	later := Monotonic.Now() + 2*time.Hour
	equal(t, "push", table.PushBack(old, later), PushedNot)
	equal(t, "push", table.PushBack(timer, later), PushedDone)
}

func TestFirstMappingFixesTheSize(t *testing.T) {
	set := open(t)
	_, err := set.Table(0)
	fails(t, "table", err, syscall.EINVAL)
	table := must(set.Table(10))
	equal(t, "entries", must(set.Table(0)).Len(), table.Len())
	_, err = set.Table(table.Len() + 1)
	fails(t, "table", err, syscall.EINVAL)
	_, err = set.Ring(1 << 30)
	fails(t, "ring", err, syscall.EINVAL)
}

func TestRingDeliversAllEvents(t *testing.T) {
	const count = 1000
	set := open(t)
	ring := must(set.Ring(1))
	ops := make([]Op, count)
	for i := range ops {
		ops[i] = After(soon, uint64(i))
	}
	must(set.Submit(ops))
	seen := map[uint64]bool{}
	for events := make([]Event, 50); len(seen) < count; {
		fails(t, "wait", ring.Wait(), nil)
		for _, e := range events[:ring.Take(events)] {
			if seen[e.Cookie] || e.Timer != ops[e.Cookie].Timer || e.Expired < e.Deadline ||
				e.Type != EventTimer || e.Count != 1 {
				t.Fatalf("%+v", e)
			}
			seen[e.Cookie] = true
		}
	}
	equal(t, "ready", must(ring.Fill()), false)
	equal(t, "more", ring.More(), false)
	equal(t, "available", ring.Available(), 0)
	set.SetReadDeadline(time.Now().Add(soon))
	fails(t, "wait", ring.Wait(), os.ErrDeadlineExceeded)
	set.SetReadDeadline(time.Time{})
	_, err := set.Read(make([]Event, 1))
	fails(t, "read", err, syscall.EBUSY)
	_, err = set.TryRead(make([]Event, 1))
	fails(t, "read", err, syscall.EBUSY)
}

func TestOnlyTheDeviceIsASet(t *testing.T) {
	_, err := OpenPath("/dev/null")
	fails(t, "open", err, syscall.ENOTTY)
	_, err = OpenPath("/dev/no-twheel")
	fails(t, "open", err, fs.ErrNotExist)
	if text := err.Error(); !strings.Contains(text, "open /dev/no-twheel") ||
		!strings.Contains(text, "is the module twheel loaded?") {
		t.Error(text)
	}
	set := open(t)
	fd := must(syscall.Open(Device, syscall.O_RDWR|syscall.O_CLOEXEC, 0))
	other := must(FromFD(uintptr(fd)))
	fails(t, "eventfd", set.SignalEventfd(fd), syscall.EINVAL)
	fails(t, "eventfd", set.SignalEventfd(-1), nil)
	fails(t, "close", other.Close(), nil)
}

// Close wakes all that wait, and whatever still uses a mapping does no harm.
func TestCloseWhileInUse(t *testing.T) {
	set := open(t)
	table := must(set.Table(1000))
	add := After(time.Hour, 1)
	add.Flags |= Shared
	timer := must(set.Add(add))
	var group sync.WaitGroup
	var pushes int64
	for i := 0; i < 2; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for later := Monotonic.Now() + time.Hour; ; later++ {
				if table.PushBack(timer, later) == PushedNot {
					return
				}
				atomic.AddInt64(&pushes, 1)
			}
		}()
	}
	group.Add(1)
	go func() {
		defer group.Done()
		_, err := set.Read(make([]Event, 1))
		fails(t, "read", err, os.ErrClosed)
	}()
	for atomic.LoadInt64(&pushes) < 1000 {
		runtime.Gosched()
	}
	fails(t, "close", set.Close(), nil)
	group.Wait()
	fails(t, "close", set.Close(), os.ErrClosed)
	_, err := set.Add(After(0, 1))
	fails(t, "add", err, os.ErrClosed)
	_, err = set.Table(0)
	fails(t, "table", err, os.ErrClosed)
}

func TestCloseEndsTheTimersInTheRing(t *testing.T) {
	set := open(t)
	ring := must(set.Ring(64))
	must(set.Add(After(0, 1)))
	fails(t, "wait", ring.Wait(), nil)
	waits := make(chan error)
	must(0, set.Close())
	go func() { waits <- ring.Wait() }()
	fails(t, "wait", <-waits, os.ErrClosed)
	equal(t, "events", ring.Take(make([]Event, 1)), 0)
	// No mapping keeps the open file.
	if maps := must(os.ReadFile("/proc/self/maps")); strings.Contains(string(maps), Device) {
		t.Errorf("%s", maps)
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

// Scenario repeats what every binding does: see bindings/README, step by step. It prints a
// table of counts, which do not depend on the machine.
package main

import (
	"errors"
	"fmt"
	"log"
	"syscall"
	"time"

	"twheel.invalid/twheel"
)

const (
	count = 100000
	past  = time.Duration(1) // a deadline that has passed on every clock
)

type scenario struct {
	set    *twheel.Set
	table  *twheel.Table
	timers [count]twheel.Timer
	soon   time.Duration
	late   time.Duration
}

func row(name string, n int) { fmt.Printf("%-16s%12d\n", name, n) }

// must returns a value that comes with no error.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// turn makes an operation on each timer whose number leaves n when divided by 4, carries them
// out, and counts those with the wanted result.
func (s *scenario) turn(n int, make func(twheel.Timer) twheel.Op,
	wanted func(*twheel.Op) bool) int {
	var ops []twheel.Op
	for i := n; i < count; i += 4 {
		ops = append(ops, make(s.timers[i]))
	}
	must(s.set.Submit(ops))
	return matches(ops, wanted)
}

func matches(ops []twheel.Op, wanted func(*twheel.Op) bool) int {
	found := 0
	for i := range ops {
		if wanted(&ops[i]) {
			found++
		}
	}
	return found
}

func done(op *twheel.Op) bool { return op.Err() == nil }
func gone(op *twheel.Op) bool { return errors.Is(op.Err(), syscall.ENOENT) }

func was(state twheel.State) func(*twheel.Op) bool {
	return func(op *twheel.Op) bool { return op.Err() == nil && op.State() == state }
}

func changeAt(deadline time.Duration) func(twheel.Timer) twheel.Op {
	return func(timer twheel.Timer) twheel.Op { return twheel.ChangeAt(timer, deadline) }
}

func (s *scenario) push(n int, deadline time.Duration, wanted twheel.Pushed) int {
	found := 0
	for i := n; i < count; i += 4 {
		if s.table.PushBack(s.timers[i], deadline) == wanted {
			found++
		}
	}
	return found
}

func (s *scenario) arm() {
	ops := make([]twheel.Op, count)
	for i := range ops {
		ops[i] = twheel.At(twheel.Monotonic, s.soon, uint64(i))
		ops[i].Flags |= twheel.Shared
	}
	must(s.set.Submit(ops))
	row("armed", matches(ops, done))
	for i := range ops {
		s.timers[i] = ops[i].Timer
	}
}

func (s *scenario) pushAndCancel() {
	row("pushed", s.push(0, s.late, twheel.PushedDone))
	row("pushed-before", s.push(0, s.soon, twheel.PushedBefore))
	next := uint64(0)
	row("queried", s.turn(0, twheel.Query, func(op *twheel.Op) bool {
		next += 4
		return op.Err() == nil && op.Time == s.late && op.Cookie == next-4
	}))
	row("cancelled", s.turn(1, twheel.Cancel, was(twheel.Pending)))
	row("gone", s.turn(1, twheel.Cancel, gone))
}

// expire gives timers a deadline that has passed, and waits until all have expired.
func (s *scenario) expire(n int) {
	changed := s.turn(n, changeAt(past), was(twheel.Pending))
	for must(s.set.Info()).Unread < uint64(changed) {
		time.Sleep(time.Millisecond)
	}
}

// readAll reads until there are no more events.
func (s *scenario) readAll() (events []twheel.Event) {
	buffer := make([]twheel.Event, 1000)
	for {
		n := must(s.set.TryRead(buffer))
		if n == 0 {
			return events
		}
		events = append(events, buffer[:n]...)
	}
}

func (s *scenario) expireAndRetract() {
	s.expire(2)
	events, sum, early := s.readAll(), 0, 0
	for _, event := range events {
		sum += int(event.Cookie)
		if event.Expired < event.Deadline {
			early++
		}
	}
	row("expired", len(events))
	row("expired-sum", sum)
	row("early", early)
	row("pushed-not", s.push(2, s.late, twheel.PushedNot))
	s.expire(3)
	row("retracted", s.turn(3, changeAt(s.soon), was(twheel.Expired)))
	row("events-left", len(s.readAll()))
}

func (s *scenario) drainAndRestore() {
	row("pending", int(must(s.set.Info()).Timers))
	ops := make([]twheel.Op, count)
	ops = ops[:must(s.set.Drain(ops))]
	row("drained", len(ops))
	sum := 0
	for i := range ops {
		sum += int(ops[i].Cookie)
		ops[i].Time = 0
	}
	row("drained-sum", sum)
	must(0, s.set.Resume())
	ring := must(s.set.Ring(4096))
	must(s.set.Submit(ops))
	row("restored", matches(ops, done))

	consumed, sum := 0, 0
	for events := make([]twheel.Event, 1000); consumed < len(ops); {
		must(0, ring.Wait())
		n := ring.Take(events)
		for _, event := range events[:n] {
			sum += int(event.Cookie)
		}
		consumed += n
	}
	row("ring", consumed)
	row("ring-sum", sum)
}

func main() {
	set := must(twheel.Open())
	start := twheel.Monotonic.Now()
	s := &scenario{set: set, table: must(set.Table(count)), soon: start + time.Hour,
		late: start + 2*time.Hour}
	s.arm()
	s.pushAndCancel()
	s.expireAndRetract()
	s.drainAndRestore()
	row("left", int(must(set.Info()).Timers))
	must(0, set.Close())
}

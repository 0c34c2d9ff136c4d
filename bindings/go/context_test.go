// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"context"
	"testing"
)

func TestReadContext(t *testing.T) {
	set := open(t)
	events := make([]Event, 1)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := set.ReadContext(done, events)
	fails(t, "read, done before", err, context.Canceled)
	late, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	_, err = set.ReadContext(late, events)
	fails(t, "read", err, context.DeadlineExceeded)
	must(set.Add(After(soon, 7)))
	equal(t, "events", must(set.ReadContext(context.Background(), events)), 1)
	equal(t, "cookie", events[0].Cookie, 7)
	// No deadline is left behind.
	must(set.Add(After(soon, 8)))
	equal(t, "events", must(set.Read(events)), 1)
}

func TestEventsComeByAChannel(t *testing.T) {
	const count = 100
	set := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	events := set.Events(ctx)
	for i := uint64(0); i < count; i++ {
		must(set.Add(After(soon, i)))
	}
	seen := map[uint64]bool{}
	for len(seen) < count {
		seen[(<-events).Cookie] = true
	}
	cancel()
	if event, more := <-events; more {
		t.Errorf("an event after the end: %v", event)
	}
	other := open(t)
	events = other.Events(context.Background())
	other.Close()
	if event, more := <-events; more {
		t.Errorf("an event of a closed set: %v", event)
	}
}

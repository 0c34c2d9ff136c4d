// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

// A Table is the table of deadlines in shared memory, with an entry for each timer that was
// added with the flag Shared. Any goroutine may push a deadline back at any time.
type Table struct {
	mapping *mapping
}

// Pushed is the result of PushBack.
type Pushed int

// Results of PushBack
const (
	PushedDone   Pushed = 0 // the timer has the new deadline, and does not expire before it
	PushedBefore Pushed = 1 // the timer keeps its deadline, which is as late or later
	PushedNot    Pushed = 2 // the timer has expired or is gone; an event was or will be delivered
)

// Table maps the table. The first mapping of an open file fixes the number of entries,
// rounded up to whole pages. Later mappings get the whole table, and may ask for 0 entries.
// The mapping ends with the set.
func (s *Set) Table(entries int) (*Table, error) {
	const most = 1 << 24
	page := os.Getpagesize()
	for {
		info, err := s.Info()
		if err != nil {
			return nil, err
		}
		wanted, err := entriesToMap(entries, int(info.TableEntries), most)
		if err != nil {
			return nil, err
		}
		m, err := s.mmap(mmapTable, (wanted*wordSize*8+page-1)/page*page)
		if err != nil {
			return nil, err
		}
		table := &Table{m}
		info, err = s.Info()
		if err != nil {
			return nil, err
		}
		// Otherwise another goroutine has made the table meanwhile, with another size.
		if int(info.TableEntries) == table.Len() {
			return table, nil
		}
	}
}

// Len returns the number of entries.
func (t *Table) Len() int { return len(t.mapping.words) / wordSize }

// PushBack gives a timer a later deadline, a reading of Monotonic. For an earlier deadline
// use Set.Change. A negative deadline is before any other.
//
// It makes two reads and one compare-and-swap, and repeats them if another thread changes the
// deadline in between.
func (t *Table) PushBack(timer Timer, deadline time.Duration) Pushed {
	words := t.mapping.words
	first := int(timer&indexMask) * wordSize
	if first >= len(words) {
		return PushedNot
	}
	entry := words[first : first+wordSize : first+wordSize]
	if deadline < 0 {
		deadline = 0
	}
	later := uint64(deadline)
	// The finalizer must not unmap the words while they are used.
	defer runtime.KeepAlive(t.mapping)
	for {
		seen := atomic.LoadUint64(&entry[wordDeadline])
		switch {
		case seen&wordClosed != 0:
			return PushedNot
		case Timer(atomic.LoadUint64(&entry[wordHandle])) != timer:
			return PushedNot
		case seen >= later:
			return PushedBefore
		case atomic.CompareAndSwapUint64(&entry[wordDeadline], seen, later):
			return PushedDone
		}
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A Ring is the ring of events in shared memory: events arrive without a system call. One
// goroutine at a time, in one process, may take events.
type Ring struct {
	set     *Set
	mapping *mapping
	entries int
	events  []uint64
}

const eventWords = eventSize / 8

// Ring maps the ring. The first mapping of an open file fixes the number of events, rounded
// up to a power of two and to at least a page. Later mappings get the whole ring, and may ask
// for 0 events. The mapping ends with the set.
//
// From the first mapping on, all events of the set go to the ring, and Read fails with EBUSY.
func (s *Set) Ring(entries int) (*Ring, error) {
	const most = 1 << 20 // 64 MiB
	for {
		info, err := s.Info()
		if err != nil {
			return nil, err
		}
		wanted, err := entriesToMap(entries, int(info.RingEntries), most)
		if err != nil {
			return nil, err
		}
		size := os.Getpagesize() / (8 * eventWords)
		for size < wanted {
			size *= 2
		}
		m, err := s.mmap(mmapRing, os.Getpagesize()+size*8*eventWords)
		if err != nil {
			return nil, err
		}
		have, offset := m.halves(ringEntriesOffset)
		// Otherwise another process has made the ring meanwhile, with another size.
		if int(have) == size {
			return &Ring{s, m, size, m.words[offset/8:]}, nil
		}
	}
}

// halves returns two neighbouring fields of 32 bits, of which the first may change.
func (m *mapping) halves(word int) (uint32, uint32) {
	pair := (*[2]uint32)(unsafe.Pointer(&m.words[word]))
	return atomic.LoadUint32(&pair[0]), atomic.LoadUint32(&pair[1])
}

// Len returns how many events the ring holds at most.
func (r *Ring) Len() int { return r.entries }

// Available returns how many events Take can take now.
func (r *Ring) Available() int {
	defer runtime.KeepAlive(r.mapping)
	tail := atomic.LoadUint64(&r.mapping.words[ringTail])
	count := tail - atomic.LoadUint64(&r.mapping.words[ringHead])
	if r.closed() {
		return 0
	}
	if count > uint64(r.entries) {
		return r.entries
	}
	return int(count)
}

// closed reports whether Close has put empty memory in the place of the ring: then what was
// read from it before may be zeros.
func (r *Ring) closed() bool {
	have, _ := r.mapping.halves(ringEntriesOffset)
	return int(have) != r.entries
}

// Take takes events out of the ring, as many as there are and as fit in. It does not wait.
func (r *Ring) Take(events []Event) int {
	defer runtime.KeepAlive(r.mapping)
	count := r.Available()
	if count > len(events) {
		count = len(events)
	}
	head := atomic.LoadUint64(&r.mapping.words[ringHead])
	for i := range events[:count] {
		index := int(head+uint64(i)) & (r.entries - 1)
		words := (*[eventWords]uint64)(unsafe.Pointer(&events[i]))
		copy(words[:], r.events[index*eventWords:])
	}
	if r.closed() {
		return 0
	}
	// From here on the kernel may write to the places that have been read.
	atomic.StoreUint64(&r.mapping.words[ringHead], head+uint64(count))
	return count
}

// More reports whether the kernel may have more events than the ring holds. A program that
// does not call Wait then calls Fill.
func (r *Ring) More() bool {
	defer runtime.KeepAlive(r.mapping)
	flags, _ := r.mapping.halves(ringFlags)
	return flags&ringMore != 0
}

// Fill lets the kernel fill the ring, and reports whether it has events. It does not wait.
func (r *Ring) Fill() (bool, error) {
	var ready bool
	var failure error
	if err := r.set.conn.Control(func(fd uintptr) { ready, failure = poll(fd, pollIn) }); err != nil {
		return false, whyNot(err)
	}
	return ready, failure
}

// Wait waits until the ring has events, and lets the kernel fill it. It parks the goroutine.
// SetReadDeadline limits the time.
func (r *Ring) Wait() error {
	var failure error
	err := r.set.conn.Read(func(fd uintptr) bool {
		ready, err := poll(fd, pollIn)
		failure = err
		return ready || err != nil
	})
	if err != nil {
		return whyNot(err)
	}
	return failure
}

const pollIn = 1 // POLLIN

// poll asks whether the descriptor has one of these events of poll(), or POLLHUP, without
// waiting.
func poll(fd uintptr, events int16) (bool, error) {
	pollfd := struct {
		fd      int32
		events  int16
		revents int16
	}{fd: int32(fd), events: events}
	var atOnce syscall.Timespec
	for {
		n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&pollfd)), 1,
			uintptr(unsafe.Pointer(&atOnce)), 0, 0, 0)
		if errno == 0 {
			return n > 0, nil
		}
		if errno != syscall.EINTR {
			return false, os.NewSyscallError("ppoll", errno)
		}
	}
}

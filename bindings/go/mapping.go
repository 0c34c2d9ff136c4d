// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// A mapping is memory that the kernel and other processes write to, as 64-bit words for
// package atomic. It stays readable and writable as long as anything refers to it, also after
// drop: a goroutine that still uses it then reads zeros.
type mapping struct {
	memory []byte
	words  []uint64
}

// mmap maps size bytes of the device, whole pages.
func (s *Set) mmap(offset int64, size int) (*mapping, error) {
	var memory []byte
	var failure error
	err := s.conn.Control(func(fd uintptr) {
		const protection = syscall.PROT_READ | syscall.PROT_WRITE
		memory, failure = syscall.Mmap(int(fd), offset, size, protection, syscall.MAP_SHARED)
	})
	if err != nil {
		return nil, whyNot(err)
	}
	if failure != nil {
		return nil, os.NewSyscallError("mmap", failure)
	}
	m := &mapping{memory, unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), size/8)}
	runtime.SetFinalizer(m, func(m *mapping) { syscall.Munmap(m.memory) })

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		m.drop()
		return nil, os.ErrClosed
	}
	s.mappings = append(s.mappings, m)
	return m, nil
}

// drop gives the memory of the device back. Empty memory takes its place in one step, so a
// goroutine that uses the mapping at the same time does not fault.
func (m *mapping) drop() error {
	const mayMove, fixed = 1, 2 // MREMAP_MAYMOVE, MREMAP_FIXED
	size := len(m.memory)
	empty, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	_, _, errno := syscall.Syscall6(syscall.SYS_MREMAP, uintptr(unsafe.Pointer(&empty[0])),
		uintptr(size), uintptr(size), mayMove|fixed, uintptr(unsafe.Pointer(&m.memory[0])), 0)
	if errno != 0 {
		syscall.Munmap(empty)
		return os.NewSyscallError("mremap", errno)
	}
	return nil
}

// entriesToMap returns how many entries to map: all existing ones, if an earlier mapping has
// fixed their number.
func entriesToMap(wanted, existing, most int) (int, error) {
	switch {
	case existing > 0 && wanted >= 0 && wanted <= existing:
		return existing, nil
	case existing == 0 && wanted > 0 && wanted <= most:
		return wanted, nil
	}
	return 0, os.NewSyscallError("mmap", syscall.EINVAL)
}

// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// A Lease is a lease on one timer: a descriptor that can push the timer's deadline back, up
// to a cap from now, and nothing else.
//
// The owner of the timer makes the lease by Set.Lease, and gives it to the holder: as standard
// input or an extra file of an exec.Cmd, or by SCM_RIGHTS. While the holder lives and works, it
// pushes the deadline back. If it dies or hangs, the owner gets the timer's event.
//
// A lease ends when its timer expires or is cancelled, or when the last copy of the lease is
// closed. The end is final: then the methods fail with ENOENT.
type Lease struct {
	file *os.File
	conn syscall.RawConn
}

// OnClose says what becomes of the timer when the last copy of its lease is closed.
type OnClose int

// Values of OnClose
const (
	OnCloseWait   OnClose = 0                  // the timer goes on to its deadline
	OnCloseExpire OnClose = leaseExpireOnClose // the timer expires at once: LeaseClosed
)

// Lease makes a lease on a pending one-shot timer on Monotonic, which is not Shared. The cap
// is how far ahead of the clock a push may move the deadline, more than 0.
func (s *Set) Lease(timer Timer, cap time.Duration, onClose OnClose) (*Lease, error) {
	if onClose != OnClose(uint32(onClose)) {
		return nil, fmt.Errorf("onClose %d: %w", onClose, syscall.EINVAL)
	}
	call := lease{timer: timer, cap: cap, flags: uint32(onClose)}
	if _, err := s.ioctl("TWHEEL_IOC_LEASE", iocLease, unsafe.Pointer(&call)); err != nil {
		return nil, err
	}
	return LeaseFromFD(uintptr(call.fd))
}

// LeaseFromFD makes a Lease of a descriptor that another process has passed on. The Lease
// owns the descriptor from then on, and closes it if LeaseFromFD fails.
func LeaseFromFD(fd uintptr) (*Lease, error) {
	if err := setNonblock(fd); err != nil {
		return nil, err
	}
	file := os.NewFile(fd, "twheel lease")
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Lease{file, conn}, nil
}

// File returns the file of the lease, to be passed on. To close it closes the lease. A Write
// of one or more bytes is a Push.
func (l *Lease) File() *os.File { return l.file }

// Close closes this copy of the lease.
func (l *Lease) Close() error { return l.file.Close() }

// Push pushes the deadline back to the cap from now. If it is later already, nothing changes.
func (l *Lease) Push() error {
	_, err := ioctl(l.conn, "TWHEEL_LEASE_IOC_PUSH", iocLeasePush, nil)
	return err
}

// PushBy pushes the deadline back to a delay from now, at most the cap. EINVAL if the delay is
// negative.
func (l *Lease) PushBy(delay time.Duration) error {
	_, err := ioctl(l.conn, "TWHEEL_LEASE_IOC_PUSH_BY", iocLeasePushBy, unsafe.Pointer(&delay))
	return err
}

// Left returns how far the deadline is ahead.
func (l *Lease) Left() (time.Duration, error) {
	var left time.Duration
	_, err := ioctl(l.conn, "TWHEEL_LEASE_IOC_LEFT", iocLeaseLeft, unsafe.Pointer(&left))
	return left, err
}

// WaitForEnd waits until the lease has ended. It parks the goroutine.
func (l *Lease) WaitForEnd() error {
	var failure error
	err := l.conn.Read(func(fd uintptr) bool {
		ended, err := poll(fd, 0)
		failure = err
		return ended || err != nil
	})
	if err != nil {
		return whyNot(err)
	}
	return failure
}

// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"
)

const setSig = 10 // F_SETSIG, which package syscall lacks

// Fence has the kernel send a signal when a timer of the set expires, whatever programs do
// then: to a process, or to a process group as a negative number, as in syscall.Kill. Use a set
// with one timer for this, and do not read its events. A new fence takes the place of an older
// one. libtwheel(3), "Fences", has the limits.
//
// It fails with ESRCH if there is no such process or group, EPERM if the program may not signal
// it, EBUSY if an event is unread, for which no signal would come, and EINVAL if the owner is 0
// or -1, or the signal is none.
func (s *Set) Fence(owner int, signal syscall.Signal) error {
	if owner != int(int32(owner)) || owner == 0 || owner == -1 || owner == math.MinInt32 ||
		signal < 1 || signal > 64 {
		return fmt.Errorf("fence of %d by signal %d: %w", owner, signal, syscall.EINVAL)
	}
	// F_SETOWN does not ask whether there is a group, nor whether it may be signalled.
	if err := syscall.Kill(owner, 0); err != nil {
		return os.NewSyscallError("kill", err)
	}
	if err := s.checkUnread(); err != nil {
		return err
	}
	if err := s.setFence(owner, signal, true); err != nil {
		return err
	}
	// A timer may have expired before the signals were on.
	err := s.checkUnread()
	if err != nil {
		s.EndFence()
	}
	return err
}

// EndFence has the kernel send no signal any more.
func (s *Set) EndFence() error { return s.setFence(0, 0, false) }

func (s *Set) checkUnread() error {
	info, err := s.Info()
	if err == nil && info.Unread > 0 {
		return fmt.Errorf("fence: %d unread events: %w", info.Unread, syscall.EBUSY)
	}
	return err
}

// setFence has the signals off meanwhile: an expiry in between would send the wrong one.
func (s *Set) setFence(owner int, signal syscall.Signal, on bool) error {
	var failure error
	err := s.conn.Control(func(fd uintptr) {
		fcntl := func(command, argument int) (result int) {
			if failure == nil {
				got, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, uintptr(command),
					uintptr(argument))
				if errno != 0 {
					failure = os.NewSyscallError("fcntl", errno)
				}
				result = int(got)
			}
			return
		}
		flags := fcntl(syscall.F_GETFL, 0) &^ syscall.O_ASYNC
		fcntl(syscall.F_SETFL, flags)
		fcntl(syscall.F_SETOWN, owner)
		fcntl(setSig, int(signal))
		if on {
			fcntl(syscall.F_SETFL, flags|syscall.O_ASYNC)
		}
	})
	if err != nil {
		return whyNot(err)
	}
	return failure
}

// LeaseFromEnv takes the lease that "twheelctl run" has given the program, and its length: the
// holder pushes about three times in this time. The descriptor becomes close-on-exec. Call
// this once: the Lease owns the descriptor.
//
// The error is fs.ErrNotExist if there is no lease, and EINVAL if a variable is no number.
func LeaseFromEnv() (*Lease, time.Duration, error) {
	fd, err := numberOf("TWHEEL_LEASE_FD", 31)
	if err != nil {
		return nil, 0, err
	}
	ns, err := numberOf("TWHEEL_LEASE_NS", 63)
	if err != nil {
		return nil, 0, err
	}
	// Only a lease has this call: another descriptor stays as it is.
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), iocLeasePush, 1); errno !=
		syscall.EINVAL {
		return nil, 0, fmt.Errorf("TWHEEL_LEASE_FD is %d: %w", fd, errno)
	}
	syscall.CloseOnExec(int(fd))
	lease, err := LeaseFromFD(uintptr(fd))
	return lease, time.Duration(ns), err
}

func numberOf(name string, bits int) (uint64, error) {
	text, found := os.LookupEnv(name)
	if !found {
		return 0, fmt.Errorf("%s is not set: %w", name, os.ErrNotExist)
	}
	number, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%s=%q: %w", name, text, syscall.EINVAL)
	}
	return number, nil
}

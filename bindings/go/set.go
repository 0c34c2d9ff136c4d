// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Device is where the device usually is.
const Device = "/dev/twheel"

// A Set is a set of timers: an open file of the device. Its timers end with Close, unless
// another process has a descriptor of the same open file.
type Set struct {
	file *os.File
	conn syscall.RawConn

	mu       sync.Mutex
	mappings []*mapping
	closed   bool
}

// Open opens the device: a set without timers.
//
// By errors.Is, the error is fs.ErrNotExist if the module is not loaded, and fs.ErrPermission
// if the user may not use the device.
func Open() (*Set, error) { return OpenPath(Device) }

// OpenPath opens the device by another name.
func OpenPath(path string) (*Set, error) {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: explain(err)}
	}
	return fromFD(fd, path)
}

// explain says what may be wrong if the device cannot be opened.
func explain(err error) error {
	switch err {
	case syscall.ENOENT, syscall.ENXIO:
		return fmt.Errorf("%w (is the module twheel loaded?)", err)
	case syscall.EACCES:
		return fmt.Errorf("%w (is the user in the group twheel?)", err)
	}
	return err
}

// FromFD makes a set of a descriptor of the device that another process or a service manager
// has passed on. The set owns the descriptor from then on, and closes it if FromFD fails.
//
// FromFD sets O_NONBLOCK, which belongs to the open file: processes that share it see it too.
func FromFD(fd uintptr) (*Set, error) {
	if err := setNonblock(fd); err != nil {
		return nil, err
	}
	return fromFD(int(fd), Device)
}

// setNonblock also refuses what the kernel would cut to 32 bits: another descriptor.
func setNonblock(fd uintptr) error {
	if fd > math.MaxInt32 {
		return fmt.Errorf("fd %d: %w", fd, syscall.EBADF)
	}
	return os.NewSyscallError("fcntl", syscall.SetNonblock(int(fd), true))
}

// fromFD takes a nonblocking descriptor, which os.NewFile gives to the runtime's poller.
func fromFD(fd int, name string) (*Set, error) {
	file := os.NewFile(uintptr(fd), name)
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, err
	}
	set := &Set{file: file, conn: conn}
	info, err := set.Info()
	if err == nil && info.ABIMajor != abiMajor {
		err = fmt.Errorf("%s: version %d of the interface: %w", name, info.ABIMajor,
			syscall.EPROTO)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return set, nil
}

// Close closes the set and its mappings. Read and Wait that are waiting fail with
// os.ErrClosed.
func (s *Set) Close() error {
	err := s.file.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, m := range s.mappings {
		if failure := m.drop(); err == nil {
			err = failure
		}
	}
	s.mappings = nil
	return err
}

// SyscallConn gives access to the descriptor, for other system calls.
func (s *Set) SyscallConn() (syscall.RawConn, error) { return s.conn, nil }

// whyNot maps an error of a RawConn. The only ones are a deadline and a closed file.
func whyNot(err error) error {
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return os.ErrClosed
	}
	return err
}

// ioctl makes a call. The argument is kept alive, and where it is, until the call returns.
func ioctl(conn syscall.RawConn, name string, request uintptr,
	argument unsafe.Pointer) (int, error) {
	var result uintptr
	var errno syscall.Errno
	err := conn.Control(func(fd uintptr) {
		result, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(argument))
	})
	if err != nil {
		return 0, whyNot(err)
	}
	if errno != 0 {
		return 0, os.NewSyscallError(name, errno)
	}
	return int(result), nil
}

func (s *Set) ioctl(name string, request uintptr, argument unsafe.Pointer) (int, error) {
	return ioctl(s.conn, name, request, argument)
}

// operate carries out one operation, and puts the result into it.
func (s *Set) operate(name string, request uintptr, op *Op) error {
	op.code, op.result = 0, 0
	result, err := s.ioctl(name, request, unsafe.Pointer(op))
	op.result = int32(result)
	return err
}

// Info returns the abilities of the driver, and how many timers there are.
func (s *Set) Info() (Info, error) {
	var info Info
	_, err := s.ioctl("TWHEEL_IOC_INFO", iocInfo, unsafe.Pointer(&info))
	return info, err
}

// Add adds a timer, by an Op from After, At, AtTime or Every.
func (s *Set) Add(op Op) (Timer, error) {
	err := s.operate("TWHEEL_IOC_ADD", iocAdd, &op)
	if err != nil {
		return 0, err
	}
	return op.Timer, nil
}

// Change gives a timer a new deadline, earlier or later: a delay from now. It returns the
// state in which the timer was.
func (s *Set) Change(timer Timer, delay time.Duration) (State, error) {
	op := Change(timer, delay)
	err := s.operate("TWHEEL_IOC_CHANGE", iocChange, &op)
	return op.State(), err
}

// ChangeAt gives a timer a new deadline: a reading of the timer's clock.
func (s *Set) ChangeAt(timer Timer, deadline time.Duration) (State, error) {
	op := ChangeAt(timer, deadline)
	err := s.operate("TWHEEL_IOC_CHANGE", iocChange, &op)
	return op.State(), err
}

// Cancel ends a timer, and returns the state in which it was. No event of the timer is
// delivered afterwards.
func (s *Set) Cancel(timer Timer) (State, error) {
	op := Cancel(timer)
	err := s.operate("TWHEEL_IOC_CANCEL", iocCancel, &op)
	return op.State(), err
}

// Query looks at a timer: the Op describes it, with the deadline in Time.
func (s *Set) Query(timer Timer) (Op, State, error) {
	op := Query(timer)
	err := s.operate("TWHEEL_IOC_QUERY", iocQuery, &op)
	return op, op.State(), err
}

// Upsert changes a timer, or adds a timer by the Op if the timer is gone or 0. It returns the
// timer, and the state in which it was.
func (s *Set) Upsert(timer Timer, add Op) (Timer, State, error) {
	op := Upsert(timer, add)
	err := s.operate("TWHEEL_IOC_UPSERT", iocUpsert, &op)
	return op.Timer, op.State(), err
}

// CancelGroup ends all timers of a group. It returns how many there were, and how many of
// them had an unread event, which was withdrawn.
func (s *Set) CancelGroup(group uint64) (ended, retracted int, err error) {
	op := CancelGroup(group)
	err = s.operate("TWHEEL_IOC_CANCEL_GROUP", iocCancelGroup, &op)
	return op.Result(), int(op.Time), err
}

// callMax is a number of operations for one system call: no more than any driver takes, and
// enough to make the cost of the call negligible.
const callMax = 4096

// inCalls makes calls for parts of ops until all are done, a call fails or does nothing.
func (s *Set) inCalls(name string, request uintptr, ops []Op) (done int, err error) {
	for done < len(ops) {
		rest := ops[done:]
		if len(rest) > callMax {
			rest = rest[:callMax]
		}
		for i := range rest {
			rest[i].result = 0 // of an earlier call, or of a list
		}
		call := batch{ops: unsafe.Pointer(&rest[0]), count: uint32(len(rest))}
		n, err := s.ioctl(name, request, unsafe.Pointer(&call))
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return done, err
		}
		done += n
	}
	return done, nil
}

// Submit carries out operations in their order. Each gets its result: see Op.Err. It returns
// how many were carried out, and an error if these are not all.
func (s *Set) Submit(ops []Op) (int, error) {
	return s.inCalls("TWHEEL_IOC_BATCH", iocBatch, ops)
}

// Drain refuses new timers from now on, and takes pending timers back: as operations that
// would add them again. It returns how many; less than len(ops) without an error means that no
// other timer is pending. Expired timers stay for Read.
func (s *Set) Drain(ops []Op) (int, error) {
	return s.inCalls("TWHEEL_IOC_DRAIN", iocDrain, ops)
}

// Cursor is where List goes on. It begins with 0.
type Cursor uint64

// List fills ops with records of timers, and returns how many: operations that would add the
// timers again, with the deadline in Op.Time. Op.State says whether the timer has expired. A
// program calls List with the same cursor until the number is 0.
//
// A timer that is there from the first call to the last is listed exactly once, whatever
// changes meanwhile.
func (s *Set) List(cursor *Cursor, ops []Op) (int, error) {
	if len(ops) > callMax {
		ops = ops[:callMax]
	}
	call := list{cursor: *cursor, count: uint32(len(ops)), flags: Absolute}
	if len(ops) > 0 {
		call.ops = unsafe.Pointer(&ops[0])
	}
	for {
		n, err := s.ioctl("TWHEEL_IOC_LIST", iocList, unsafe.Pointer(&call))
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		*cursor = call.cursor
		return n, err
	}
}

// Resume accepts new timers again.
func (s *Set) Resume() error {
	_, err := s.ioctl("TWHEEL_IOC_DRAIN", iocDrain, unsafe.Pointer(&batch{flags: drainResume}))
	return err
}

// Read reads as many events as there are and as fit in. If there is none, it waits for the
// first. It fails with EBUSY if events go to a Ring.
func (s *Set) Read(events []Event) (int, error) {
	if len(events) == 0 {
		return 0, nil
	}
	n, err := s.file.Read(bytesOf(events))
	return n / eventSize, err
}

// TryRead reads as many events as there are and as fit in, and does not wait: it returns 0 if
// there is none.
func (s *Set) TryRead(events []Event) (int, error) {
	if len(events) == 0 {
		return 0, nil
	}
	var n int
	var failure error
	err := s.conn.Control(func(fd uintptr) {
		n, failure = syscall.Read(int(fd), bytesOf(events))
		for failure == syscall.EINTR {
			n, failure = syscall.Read(int(fd), bytesOf(events))
		}
	})
	switch {
	case err != nil:
		return 0, whyNot(err)
	case failure == syscall.EAGAIN:
		return 0, nil
	case failure != nil:
		return 0, os.NewSyscallError("read", failure)
	}
	return n / eventSize, nil
}

const eventSize = int(unsafe.Sizeof(Event{}))

func bytesOf(events []Event) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&events[0])), len(events)*eventSize)
}

// SetReadDeadline lets Read and Wait, also those that are waiting, fail with
// os.ErrDeadlineExceeded at that time. The zero Time means never.
func (s *Set) SetReadDeadline(when time.Time) error { return whyNot(s.file.SetReadDeadline(when)) }

// SignalEventfd has an eventfd signalled when timers expire, or no longer if fd is -1.
func (s *Set) SignalEventfd(fd int) error {
	if fd != int(int32(fd)) {
		return fmt.Errorf("fd %d: %w", fd, syscall.EBADF)
	}
	_, err := s.ioctl("TWHEEL_IOC_EVENTFD", iocEventfd, unsafe.Pointer(&eventfd{fd: int32(fd)}))
	return err
}

// WatchClock asks for an EventClockSet event whenever CLOCK_REALTIME is set.
func (s *Set) WatchClock() error {
	_, err := s.ioctl("TWHEEL_IOC_CLOCK_SET", iocClockSet, nil)
	return err
}

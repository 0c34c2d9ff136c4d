// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"runtime"
	"time"
	"unsafe"
)

// The numbers of linux/twheel.h. A test compares them with the header.
const (
	abiMajor = 1

	opAdd         = 1
	opChange      = 2
	opCancel      = 3
	opQuery       = 4
	opUpsert      = 5
	opCancelGroup = 6

	drainResume = 1 << 0

	leaseExpireOnClose = 1 << 0

	mmapTable  = 0
	mmapRing   = 1 << 32
	wordClosed = 1 << 63
	indexMask  = 0xffffff
	ringMore   = 1 << 0
)

// Places of 64-bit words in struct twheel_word and struct twheel_ring
const (
	wordSize     = 2
	wordDeadline = 0
	wordHandle   = 1

	ringTail          = 0
	ringEntriesOffset = 1 // two fields of 32 bits
	ringFlags         = 2 // flags, and a reserved field
	ringHead          = 8
)

// Info says what the driver can do, and how many timers there are.
type Info struct {
	ABIMajor      uint32        // version of the driver's interface
	ABIMinor      uint32        // a higher minor number only adds
	ResolutionNs  uint32        // length of a tick
	MaxBatch      uint32        // most operations in one system call
	Features      Features      // abilities of the driver
	Clocks        uint64        // bit n stands for the clock with number n
	MaxTimers     uint64        // how many timers the set may have
	Timers        uint64        // how many it has: pending, or with an unread event
	MinPeriod     time.Duration // shortest period
	MaxTimersUser uint64        // how many timers all sets of the user may have; ^0: no limit
	TimersUser    uint64        // how many they have
	Unread        uint64        // how many timers of the set have an unread event
	TableEntries  uint32        // size of the table; 0 before it was mapped
	RingEntries   uint32        // size of the ring; 0 before it was mapped
	_             [5]uint64
}

// Features are abilities of a driver.
type Features uint64

// What a driver may be able to do.
const (
	FeatureBatch      Features = 1 << 0  // Set.Submit
	FeaturePeriodic   Features = 1 << 1  // Every
	FeatureRetract    Features = 1 << 2  // an operation on an expired timer withdraws its event
	FeatureUpsert     Features = 1 << 3  // Set.Upsert
	FeatureGroup      Features = 1 << 4  // Op.Group
	FeatureMissed     Features = 1 << 5  // Each, Restart
	FeatureDrain      Features = 1 << 6  // Set.Drain
	FeatureEventfd    Features = 1 << 7  // Set.SignalEventfd
	FeatureSigio      Features = 1 << 8  // F_SETOWN and O_ASYNC
	FeatureTable      Features = 1 << 9  // Set.Table
	FeatureRing       Features = 1 << 10 // Set.Ring
	FeatureClockSet   Features = 1 << 11 // Set.WatchClock
	FeatureLease      Features = 1 << 12 // Set.Lease
	FeatureWindow     Features = 1 << 13 // Op.Window
	FeatureList       Features = 1 << 14 // Set.List
	FeatureKeepHandle Features = 1 << 15 // KeepHandle
	FeatureUring      Features = 1 << 16 // commands of io_uring, which the package does not use
)

// An array of operations: struct twheel_batch and struct twheel_drain. The address fills 64
// bits on every architecture that the package builds for.
type batch struct {
	ops   unsafe.Pointer
	_     [8 - unsafe.Sizeof(uintptr(0))]byte
	count uint32
	flags uint32
	_     [6]uint64
}

type list struct {
	ops    unsafe.Pointer
	_      [8 - unsafe.Sizeof(uintptr(0))]byte
	cursor Cursor
	count  uint32
	flags  Flags
	_      [5]uint64
}

type lease struct {
	timer Timer
	cap   time.Duration
	flags uint32
	fd    int32
	_     [5]uint64
}

type eventfd struct {
	fd    int32
	flags uint32
	_     [7]uint64
}

// ioc is the number of an ioctl. Some architectures encode the direction in another way.
func ioc(read, write bool, number, size uintptr) uintptr {
	request := size<<16 | 't'<<8 | number
	switch runtime.GOARCH {
	case "mips64", "mips64le", "ppc64", "ppc64le":
		switch {
		case read && write:
			return request | 6<<29
		case read:
			return request | 2<<29
		case write:
			return request | 4<<29
		}
		return request | 1<<29
	}
	if read {
		request |= 2 << 30
	}
	if write {
		request |= 1 << 30
	}
	return request
}

// Numbers of ioctls
var (
	iocInfo        = ioc(true, false, 0xa0, unsafe.Sizeof(Info{}))
	iocAdd         = ioc(true, true, 0xa1, unsafe.Sizeof(Op{}))
	iocChange      = ioc(false, true, 0xa2, unsafe.Sizeof(Op{}))
	iocCancel      = ioc(false, true, 0xa3, unsafe.Sizeof(Op{}))
	iocQuery       = ioc(true, true, 0xa4, unsafe.Sizeof(Op{}))
	iocBatch       = ioc(false, true, 0xa5, unsafe.Sizeof(batch{}))
	iocUpsert      = ioc(true, true, 0xa6, unsafe.Sizeof(Op{}))
	iocCancelGroup = ioc(true, true, 0xa7, unsafe.Sizeof(Op{}))
	iocDrain       = ioc(false, true, 0xa8, unsafe.Sizeof(batch{}))
	iocEventfd     = ioc(false, true, 0xa9, unsafe.Sizeof(eventfd{}))
	iocClockSet    = ioc(false, false, 0xaa, 0)
	iocLease       = ioc(true, true, 0xab, unsafe.Sizeof(lease{}))
	iocList        = ioc(true, true, 0xac, unsafe.Sizeof(list{}))
	iocLeasePush   = ioc(false, false, 0xb0, 0)
	iocLeasePushBy = ioc(false, true, 0xb1, 8)
	iocLeaseLeft   = ioc(true, false, 0xb2, 8)
)

// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// A C structure, with the names of its fields in their order
type structure struct {
	name   string
	value  interface{}
	fields string
}

var structures = []structure{
	{"twheel_info", Info{}, `abi_major abi_minor resolution_ns max_batch features clocks
		max_timers timers min_period_ns max_timers_user timers_user unread table_entries
		ring_entries reserved`},
	{"twheel_op", Op{}, `op flags clockid result handle cookie time_ns period_ns group
		window_ns`},
	// Go's second field fills the address to 64 bits.
	{"twheel_batch", batch{}, "ops - count flags reserved"},
	{"twheel_drain", batch{}, "ops - count flags reserved"},
	{"twheel_list", list{}, "ops - cursor count flags reserved"},
	{"twheel_lease", lease{}, "handle cap_ns flags fd reserved"},
	{"twheel_eventfd", eventfd{}, "fd flags reserved"},
	{"twheel_event", Event{}, `handle cookie deadline_ns expired_ns count type flags clockid
		pad reserved`},
}

var numbers = map[string]uint64{
	"TWHEEL_ABI_MAJOR":             abiMajor,
	"TWHEEL_OP_ADD":                opAdd,
	"TWHEEL_OP_CHANGE":             opChange,
	"TWHEEL_OP_CANCEL":             opCancel,
	"TWHEEL_OP_QUERY":              opQuery,
	"TWHEEL_OP_UPSERT":             opUpsert,
	"TWHEEL_OP_CANCEL_GROUP":       opCancelGroup,
	"TWHEEL_ABSTIME":               uint64(Absolute),
	"TWHEEL_EACH":                  uint64(Each),
	"TWHEEL_RESTART":               uint64(Restart),
	"TWHEEL_RESTORE":               uint64(Restore),
	"TWHEEL_SHARED":                uint64(Shared),
	"TWHEEL_KEEP_HANDLE":           uint64(KeepHandle),
	"TWHEEL_LEASED":                uint64(Leased),
	"TWHEEL_EVENT_LEASE_CLOSED":    uint64(LeaseClosed),
	"TWHEEL_LEASE_EXPIRE_ON_CLOSE": leaseExpireOnClose,
	"TWHEEL_RETRACTED":             uint64(Expired),
	"TWHEEL_EXPIRED":               uint64(Expired),
	"TWHEEL_ADDED":                 uint64(Added),
	"TWHEEL_EVENT_TIMER":           uint64(EventTimer),
	"TWHEEL_EVENT_CLOCK_SET":       uint64(EventClockSet),
	"TWHEEL_DRAIN_RESUME":          drainResume,
	"TWHEEL_MMAP_TABLE":            mmapTable,
	"TWHEEL_MMAP_RING":             mmapRing,
	"TWHEEL_WORD_CLOSED":           wordClosed,
	"TWHEEL_INDEX(~0ull)":          indexMask,
	"TWHEEL_RING_MORE":             ringMore,
	"TWHEEL_FEATURE_BATCH":         uint64(FeatureBatch),
	"TWHEEL_FEATURE_PERIODIC":      uint64(FeaturePeriodic),
	"TWHEEL_FEATURE_RETRACT":       uint64(FeatureRetract),
	"TWHEEL_FEATURE_UPSERT":        uint64(FeatureUpsert),
	"TWHEEL_FEATURE_GROUP":         uint64(FeatureGroup),
	"TWHEEL_FEATURE_MISSED":        uint64(FeatureMissed),
	"TWHEEL_FEATURE_DRAIN":         uint64(FeatureDrain),
	"TWHEEL_FEATURE_EVENTFD":       uint64(FeatureEventfd),
	"TWHEEL_FEATURE_SIGIO":         uint64(FeatureSigio),
	"TWHEEL_FEATURE_TABLE":         uint64(FeatureTable),
	"TWHEEL_FEATURE_RING":          uint64(FeatureRing),
	"TWHEEL_FEATURE_CLOCK_SET":     uint64(FeatureClockSet),
	"TWHEEL_FEATURE_LEASE":         uint64(FeatureLease),
	"TWHEEL_FEATURE_WINDOW":        uint64(FeatureWindow),
	"TWHEEL_FEATURE_LIST":          uint64(FeatureList),
	"TWHEEL_FEATURE_KEEP_HANDLE":   uint64(FeatureKeepHandle),
	"TWHEEL_FEATURE_URING":         uint64(FeatureUring),
	"CLOCK_REALTIME":               uint64(Realtime),
	"CLOCK_MONOTONIC":              uint64(Monotonic),
	"CLOCK_BOOTTIME":               uint64(Boottime),

	"sizeof(struct twheel_word)":             8 * wordSize,
	"offsetof(struct twheel_word, deadline)": 8 * wordDeadline,
	"offsetof(struct twheel_word, handle)":   8 * wordHandle,
	"offsetof(struct twheel_ring, tail)":     8 * ringTail,
	"offsetof(struct twheel_ring, entries)":  8 * ringEntriesOffset,
	"offsetof(struct twheel_ring, offset)":   8*ringEntriesOffset + 4,
	"offsetof(struct twheel_ring, flags)":    8 * ringFlags,
	"offsetof(struct twheel_ring, head)":     8 * ringHead,
	"TWHEEL_IOC_INFO":                        uint64(iocInfo),
	"TWHEEL_IOC_ADD":                         uint64(iocAdd),
	"TWHEEL_IOC_CHANGE":                      uint64(iocChange),
	"TWHEEL_IOC_CANCEL":                      uint64(iocCancel),
	"TWHEEL_IOC_QUERY":                       uint64(iocQuery),
	"TWHEEL_IOC_BATCH":                       uint64(iocBatch),
	"TWHEEL_IOC_UPSERT":                      uint64(iocUpsert),
	"TWHEEL_IOC_CANCEL_GROUP":                uint64(iocCancelGroup),
	"TWHEEL_IOC_DRAIN":                       uint64(iocDrain),
	"TWHEEL_IOC_EVENTFD":                     uint64(iocEventfd),
	"TWHEEL_IOC_CLOCK_SET":                   uint64(iocClockSet),
	"TWHEEL_IOC_LEASE":                       uint64(iocLease),
	"TWHEEL_IOC_LIST":                        uint64(iocList),
	"TWHEEL_LEASE_IOC_PUSH":                  uint64(iocLeasePush),
	"TWHEEL_LEASE_IOC_PUSH_BY":               uint64(iocLeasePushBy),
	"TWHEEL_LEASE_IOC_LEFT":                  uint64(iocLeaseLeft),
}

// The numbers and structures are those of linux/twheel.h: a C compiler compares them.
func TestNumbersAreTheHeaders(t *testing.T) {
	claims := "#include <stddef.h>\n#include <time.h>\n#include <linux/twheel.h>\n"
	claim := func(expression string, value uint64) {
		claims += fmt.Sprintf("_Static_assert((%s) == %dull, %q);\n", expression, value,
			expression)
	}
	for expression, value := range numbers {
		claim(expression, value)
	}
	for _, s := range structures {
		kind, fields := reflect.TypeOf(s.value), strings.Fields(s.fields)
		if kind.NumField() != len(fields) {
			t.Fatalf("%s has %d fields, not %d", s.name, kind.NumField(), len(fields))
		}
		claim("sizeof(struct "+s.name+")", uint64(kind.Size()))
		for i, field := range fields {
			if field != "-" {
				claim("offsetof(struct "+s.name+", "+field+")",
					uint64(kind.Field(i).Offset))
			}
		}
	}
	compiler := exec.Command("cc", "-x", "c", "-fsyntax-only", "-I../../include/uapi", "-")
	compiler.Stdin = strings.NewReader(claims)
	if said, err := compiler.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// The table above has each constant of the recorded interface. The package needs no minor version.
func TestNumbersAreAllOfTheHeader(t *testing.T) {
	record, err := os.ReadFile("../../Documentation/abi/twheel.txt")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^(?:constant |ioctl |\t)(TWHEEL_\w+) = `)
	found := line.FindAllStringSubmatch(string(record), -1)
	if len(found) < 50 {
		t.Errorf("the record has only %d constants", len(found))
	}
	for _, name := range found {
		if _, known := numbers[name[1]]; !known && name[1] != "TWHEEL_ABI_MINOR" {
			t.Errorf("%s is missing", name[1])
		}
	}
}

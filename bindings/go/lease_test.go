// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func TestLeasePushesUpToItsCap(t *testing.T) {
	set := open(t)
	timer := must(set.Add(After(time.Hour, 1)))
	lease := must(set.Lease(timer, 2*time.Hour, OnCloseWait))
	defer lease.Close()
	_, err := set.Lease(timer, time.Hour, OnCloseWait)
	fails(t, "second lease", err, syscall.EBUSY)
	deadline := func() time.Duration {
		op, _, err := set.Query(timer)
		fails(t, "query", err, nil)
		equal(t, "leased", op.Flags&Leased, Leased)
		return op.Time
	}

	if left := must(lease.Left()); left <= 0 || left > time.Hour {
		t.Errorf("%v left", left)
	}
	before := Monotonic.Now()
	fails(t, "push", lease.Push(), nil)
	pushed := deadline()
	if pushed < before+2*time.Hour || pushed > Monotonic.Now()+2*time.Hour {
		t.Errorf("%v after the push", pushed-before)
	}
	fails(t, "push", lease.PushBy(time.Hour), nil) // is later already
	equal(t, "deadline", deadline(), pushed)
	fails(t, "push", lease.PushBy(3*time.Hour), syscall.EINVAL)
	equal(t, "written", must(lease.File().Write([]byte("alive"))), 5)
	if deadline() <= pushed {
		t.Error("a write does not push")
	}

	ended := make(chan error)
	go func() { ended <- lease.WaitForEnd() }()
	must(set.Cancel(timer))
	fails(t, "wait", <-ended, nil)
	fails(t, "push", lease.Push(), syscall.ENOENT)
	lease.Close()
	fails(t, "push", lease.Push(), os.ErrClosed)
}

func TestDeathOfTheHolderIsNoticed(t *testing.T) {
	set := open(t)
	timer := must(set.Add(After(time.Hour, 1)))
	lease := must(set.Lease(timer, time.Hour, OnCloseExpire))
	holder := exec.Command("sleep", "3600")
	holder.Stdin = lease.File()
	must(0, holder.Start())
	lease.Close()
	_, state, _ := set.Query(timer)
	equal(t, "state", state, Pending)
	must(0, holder.Process.Kill())
	events := make([]Event, 1)
	must(set.Read(events))
	equal(t, "timer", events[0].Timer, timer)
	equal(t, "flags", events[0].Flags, LeaseClosed)
	holder.Wait()
}

func TestFenceKillsAStoppedGroup(t *testing.T) {
	set := open(t)
	victim := exec.Command("sh", "-c", "kill -STOP $$")
	victim.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(0, victim.Start())
	group := -victim.Process.Pid
	fails(t, "fence of all", set.Fence(-1, syscall.SIGKILL), syscall.EINVAL)
	fails(t, "fence of none", set.Fence(0, syscall.SIGKILL), syscall.EINVAL)
	fails(t, "signal 65", set.Fence(group, 65), syscall.EINVAL)
	fails(t, "fence", set.Fence(group, syscall.SIGKILL), nil)
	must(set.Add(After(time.Second/2, 1)))
	victim.Wait()
	status := victim.ProcessState.Sys().(syscall.WaitStatus)
	equal(t, "signal", status.Signal(), syscall.SIGKILL)
	fails(t, "fence", set.Fence(os.Getpid(), syscall.SIGKILL), syscall.EBUSY)
	must(set.Read(make([]Event, 1)))
	fails(t, "fence", set.Fence(group, syscall.SIGKILL), syscall.ESRCH)
	fails(t, "fence", set.Fence(os.Getpid(), syscall.SIGKILL), nil)
	fails(t, "end", set.EndFence(), nil)
	must(set.Add(After(0, 2)))
	must(set.Read(make([]Event, 1)))
}

func TestLeaseComesFromTheEnvironment(t *testing.T) {
	set := open(t)
	_, _, err := LeaseFromEnv()
	fails(t, "no variable", err, os.ErrNotExist)
	made := must(set.Lease(must(set.Add(After(time.Hour, 1))), time.Hour, OnCloseWait))
	defer made.Close()
	// The environment's lease owns a descriptor of its own.
	fd := must(syscall.Dup(int(made.File().Fd())))
	t.Setenv("TWHEEL_LEASE_NS", "5000000000")
	for text, want := range map[string]error{
		"":        syscall.EINVAL,
		"-1":      syscall.EINVAL,
		"1000000": syscall.EBADF,
		"1":       syscall.ENOTTY,
	} {
		t.Setenv("TWHEEL_LEASE_FD", text)
		_, _, err := LeaseFromEnv()
		fails(t, text, err, want)
	}
	t.Setenv("TWHEEL_LEASE_FD", strconv.Itoa(fd))
	lease, length, err := LeaseFromEnv()
	fails(t, "lease", err, nil)
	defer lease.Close()
	equal(t, "length", length, 5*time.Second)
	fails(t, "push", lease.Push(), nil)
}

// listed returns records of all timers, and their cookies.
func listed(t *testing.T, set *Set) (records []Op, cookies map[Timer]uint64) {
	cookies = map[Timer]uint64{}
	var cursor Cursor
	for ops := make([]Op, 100); ; {
		n := must(set.List(&cursor, ops))
		if n == 0 {
			return records, cookies
		}
		for _, op := range ops[:n] {
			if _, twice := cookies[op.Timer]; twice {
				t.Fatalf("twice: %+v", op)
			}
			cookies[op.Timer] = op.Cookie
		}
		records = append(records, ops[:n]...)
	}
}

func TestListRestoresAllTimersWithTheirHandles(t *testing.T) {
	const count = 5000
	set := open(t)
	ops := make([]Op, count)
	for i := range ops {
		ops[i] = After(time.Hour, uint64(i))
	}
	must(set.Submit(ops))
	old := expired(set, count)
	records, cookies := listed(t, set)
	equal(t, "records", len(records), count+1)
	for i := range ops {
		equal(t, "cookie", cookies[ops[i].Timer], ops[i].Cookie)
	}
	for i := range records {
		equal(t, "expired", records[i].State() == Expired, records[i].Timer == old)
		records[i].Flags |= KeepHandle
	}

	successor := open(t)
	must(successor.Submit(records))
	again, restored := listed(t, successor)
	equal(t, "restored", len(again), count+1)
	for timer, cookie := range cookies {
		equal(t, "cookie", restored[timer], cookie)
	}
	must(set.Submit(records))
	for i := range records {
		fails(t, "taken", records[i].Err(), syscall.EEXIST)
	}
	_, err := set.List(new(Cursor), nil)
	fails(t, "no room", err, syscall.EINVAL)
}

func TestTimersWithWindowsExpireTogether(t *testing.T) {
	const count = 100
	set := open(t)
	tick := time.Duration(must(set.Info()).ResolutionNs)
	ops := make([]Op, count)
	first := Monotonic.Now() + 20*tick
	for i := range ops {
		ops[i] = At(Monotonic, first+time.Duration(i)*tick, uint64(i))
		ops[i].Window = 256 * tick
	}
	must(set.Submit(ops))
	expiries, seen, last := 0, 0, time.Duration(0)
	for events := make([]Event, count); seen < count; time.Sleep(tick) {
		n := must(set.Read(events))
		for _, e := range events[:n] {
			if e.Expired < e.Deadline {
				t.Errorf("%+v", e)
			}
			if e.Expired >= last+tick {
				expiries++
				last = e.Expired
			}
		}
		seen += n
	}
	if expiries >= count/2 {
		t.Errorf("%d expiries of %d timers", expiries, count)
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"time"

	"twheel.invalid/twheel"
)

func ExampleOpen() {
	set, err := twheel.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	if _, err := set.Add(twheel.After(1500*time.Millisecond, 42)); err != nil {
		log.Fatal(err)
	}
	events := make([]twheel.Event, 64)
	n, err := set.Read(events)
	if err != nil {
		log.Fatal(err)
	}
	for _, event := range events[:n] {
		fmt.Printf("timer %d expired\n", event.Cookie)
	}
}

func ExampleSet_Cancel() {
	set, err := twheel.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	timer, err := set.Add(twheel.After(30*time.Second, 42))
	if err != nil {
		log.Fatal(err)
	}
	switch state, err := set.Cancel(timer); {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Println("too late: the event was read")
	case err != nil:
		log.Fatal(err)
	case state == twheel.Expired:
		fmt.Println("just in time: the event will not be read")
	}
}

func ExampleSet_Submit() {
	set, err := twheel.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	ops := make([]twheel.Op, 100000)
	for i := range ops {
		ops[i] = twheel.After(time.Minute, uint64(i))
	}
	if _, err := set.Submit(ops); err != nil {
		log.Fatal(err)
	}
	for i := range ops {
		if err := ops[i].Err(); err != nil {
			log.Printf("timer %d: %v", i, err)
		}
	}
}

func ExampleTable_PushBack() {
	set, err := twheel.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	table, err := set.Table(4096)
	if err != nil {
		log.Fatal(err)
	}
	add := twheel.After(5*time.Second, 7)
	add.Flags |= twheel.Shared
	timer, err := set.Add(add)
	if err != nil {
		log.Fatal(err)
	}
	// A heartbeat, in any goroutine:
	if table.PushBack(timer, twheel.Monotonic.Now()+5*time.Second) == twheel.PushedNot {
		fmt.Println("too late: the timer has expired")
	}
}

func ExampleRing() {
	set, err := twheel.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	ring, err := set.Ring(4096)
	if err != nil {
		log.Fatal(err)
	}
	for events := make([]twheel.Event, 256); ; {
		if err := ring.Wait(); err != nil {
			log.Fatal(err)
		}
		for _, event := range events[:ring.Take(events)] {
			fmt.Printf("timer %d expired\n", event.Cookie)
		}
	}
}

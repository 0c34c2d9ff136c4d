// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

// Heartbeat has clients whose heartbeats come from goroutines, without system calls. Every
// tenth client falls silent after its first heartbeat, and times out.
//
// usage: heartbeat [-clients N]
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"twheel.invalid/twheel"
)

const (
	timeout    = 500 * time.Millisecond
	between    = 100 * time.Millisecond
	heartbeats = 10
	goroutines = 4
)

// send sends the heartbeats of some clients, and returns how many were in time.
func send(table *twheel.Table, clients []twheel.Op) (inTime int64) {
	for round := 0; round < heartbeats; round++ {
		deadline := twheel.Monotonic.Now() + timeout
		for i := range clients {
			silent := round > 0 && clients[i].Cookie%10 == 0
			if !silent && table.PushBack(clients[i].Timer, deadline) != twheel.PushedNot {
				inTime++
			}
		}
		time.Sleep(between)
	}
	return inTime
}

func run(clients int) error {
	set, err := twheel.Open()
	if err != nil {
		return err
	}
	defer set.Close()
	table, err := set.Table(clients)
	if err != nil {
		return err
	}
	ops := make([]twheel.Op, clients)
	for i := range ops {
		ops[i] = twheel.After(timeout, uint64(i))
		ops[i].Flags |= twheel.Shared
	}
	if _, err := set.Submit(ops); err != nil {
		return err
	}
	for i := range ops {
		if err := ops[i].Err(); err != nil {
			return err
		}
	}

	var inTime int64
	var senders sync.WaitGroup
	for g := 0; g < goroutines; g++ {
		share := ops[g*clients/goroutines : (g+1)*clients/goroutines]
		senders.Add(1)
		go func() {
			defer senders.Done()
			atomic.AddInt64(&inTime, send(table, share))
		}()
	}
	silent := 0
	set.SetReadDeadline(time.Now().Add(heartbeats * between))
	for events := make([]twheel.Event, 1024); ; {
		n, err := set.Read(events)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil {
			return err
		}
		silent += n
	}
	senders.Wait()
	fmt.Printf("%d clients, %d heartbeats, %d clients timed out\n", clients, inTime, silent)
	return nil
}

func main() {
	clients := flag.Int("clients", 10000, "number of clients")
	flag.Parse()
	if err := run(*clients); err != nil {
		log.Fatal(err)
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT

//go:build linux && !mips && !mipsle

package twheel

import (
	"context"
	"errors"
	"os"
	"time"
)

// ReadContext is Read that also ends when the context is done, with the error of the context.
//
// It uses the deadline of SetReadDeadline, which does not limit a Read afterwards. So one
// goroutine at a time may call it, and no other may call Read or Wait meanwhile.
func (s *Set) ReadContext(ctx context.Context, events []Event) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			s.SetReadDeadline(time.Unix(1, 0))
		case <-over:
		}
	}()
	n, err := s.Read(events)
	close(over)
	<-ended
	if ctx.Err() != nil {
		s.SetReadDeadline(time.Time{})
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = ctx.Err()
		}
	}
	return n, err
}

// Events returns a channel with the events as they come. The channel is closed when the context
// is done or the set is closed, or if events go to a Ring. Events that nobody has taken by then
// are lost. ReadContext says who else may read.
func (s *Set) Events(ctx context.Context) <-chan Event {
	channel := make(chan Event)
	go func() {
		defer close(channel)
		events := make([]Event, 64)
		for {
			n, err := s.ReadContext(ctx, events)
			if err != nil {
				return
			}
			for _, event := range events[:n] {
				select {
				case channel <- event:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return channel
}

package rpc

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// readInbox reads everything from an inbox, in small parts.
func readInbox(b *Inbox) string {
	var all bytes.Buffer
	_, _ = io.CopyBuffer(struct{ io.Writer }{&all}, struct{ io.Reader }{b}, make([]byte, 7))
	return all.String()
}

func TestInbox_passesEverythingOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, gone := NewInbox(), make(chan struct{})
		sent := strings.Repeat("0123456789", 20_000)
		go b.Pump(strings.NewReader(sent), func() { close(gone) })
		if got := readInbox(b); got != sent {
			t.Errorf("read %d bytes of %d", len(got), len(sent))
		}
		start := time.Now()
		<-gone
		if waited := time.Since(start); waited > 0 {
			t.Errorf("the end was told %s after everything was read", waited)
		}
	})
}

// TestInbox_endIsSeen: the end of the pipe is told although nobody reads.
func TestInbox_endIsSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, gone := NewInbox(), make(chan struct{})
		go b.Pump(strings.NewReader("unread"), func() { close(gone) })
		start := time.Now()
		<-gone
		if waited := time.Since(start); waited != drainTime {
			t.Errorf("the end was told after %s, want %s", waited, drainTime)
		}
		b.Close()
		if got := readInbox(b); got != "" {
			t.Errorf("a closed inbox gave %q", got)
		}
	})
}

// TestInbox_holdsTheHostUp: beyond its bound an inbox takes no more until it
// is read or closed.
func TestInbox_holdsTheHostUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewInbox()
		if _, open := b.put(make([]byte, maxInbox+1)); !open {
			t.Fatal("an open inbox takes nothing")
		}
		took := make(chan bool)
		more := func() { _, open := b.put([]byte("more")); took <- open }
		go more()
		synctest.Wait()
		select {
		case <-took:
			t.Fatal("a full inbox took more")
		default:
		}
		if _, err := b.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		if !<-took {
			t.Error("an inbox with room refused")
		}
		if _, open := b.put(make([]byte, 100)); !open {
			t.Fatal("an inbox with room refused")
		}
		go more()
		synctest.Wait()
		b.Close()
		if <-took {
			t.Error("a closed inbox took more")
		}
	})
}

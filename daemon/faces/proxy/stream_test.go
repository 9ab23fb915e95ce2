package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tmaxmax/go-sse"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// everything is a filter that passes all events.
type everything struct{ wire.Filter }

func (everything) Pass(e wire.Event) ([]wire.Event, error) { return []wire.Event{e}, nil }

func passed(t testing.TB, stream io.Reader) (string, error) {
	t.Helper()
	var out bytes.Buffer
	read := 0
	err := passEvents(&out, stream, everything{}, &read)
	return out.String(), err
}

// Comments keep a connection open while the model thinks: they pass at once, in
// their places.
func TestPassEvents_Comments(t *testing.T) {
	long := ": " + strings.Repeat("x", 10_000)
	stream := ": first\n\nevent: a\ndata: 1\n\n: OPENROUTER PROCESSING\n\n:\n\ndata: 2\ndata: 3\n\n" + long + "\n\ndata: " + strings.Repeat("y", 10_000) + "\n\n: last\n"
	for name, in := range map[string]io.Reader{
		"at once": strings.NewReader(stream), "byte by byte": iotest.OneByteReader(strings.NewReader(stream)),
	} {
		got, err := passed(t, in)
		want := ": first\n\nevent: a\ndata: 1\n\n: OPENROUTER PROCESSING\n\n:\n\ndata: 2\ndata: 3\n\n" + long + "\n\ndata: " + strings.Repeat("y", 10_000) + "\n\n: last\n"
		if err != nil || strings.TrimRight(strings.ReplaceAll(got, "\n\n\n", "\n\n"), "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%s: got %q (%v), want %q", name, got, err, want)
		}
	}
	// The connection is still open: what has come is with the client.
	in, out := io.Pipe()
	defer in.Close()
	client, events := io.Pipe()
	go func() {
		read := 0
		events.CloseWithError(passEvents(events, in, everything{}, &read))
	}()
	go fmt.Fprint(out, "data: 1\n\n: still there\n")
	got := make([]byte, len("data: 1\n\n: still there\n"))
	if _, err := io.ReadFull(client, got); err != nil || string(got) != "data: 1\n\n: still there\n" {
		t.Errorf("got %q (%v), want the event and the comment", got, err)
	}
	client.Close()
	out.Close()
}

// Whatever a provider streams, the client gets the events that it would have
// got without the proxy.
func FuzzPassEvents(f *testing.F) {
	for _, stream := range []string{
		"data: 1\n\n", "event: a\r\ndata: 1\r\ndata: 2\r\n\r\n: c\r\n", ":\n:\n\n", "data\n\ndata:\n\n", "id: 1\nretry: 5\ndata: x\n\n",
		"\ufeffdata: 1\n\n", "data: cut", "data: 1\n: within\ndata: 2\n\n", "event: only\n\n", "data: a\rdata: b\r\r",
		"data\n:\r\r\n0", "data: 1\n:\r\ndata: 2\n\n", ": c\rdata: 1\r\r", "data: 1\n:" + strings.Repeat("x", 4094) + "\r\ndata: 2\n\n",
		"data: 1\n:" + strings.Repeat("x", 4094) + "\rdata: 2\r\n\r\n",
		"data: 1\n:" + strings.Repeat("x", 5000),
		":" + strings.Repeat("x", 5000) + "\r", ":" + strings.Repeat("x", 4095) + "\r\ndata: 1\n\n",
	} {
		f.Add(stream)
	}
	events := func(stream string) (all []string, err error) {
		for e, err := range sse.Read(strings.NewReader(stream), &sse.ReadConfig{MaxEventSize: maxAnswer}) {
			if err != nil {
				return all, err
			}
			all = append(all, e.Type+" "+e.Data)
		}
		return all, nil
	}
	f.Fuzz(func(t *testing.T, stream string) {
		want, wantErr := events(stream) // a stream may end in the middle of a line
		out, gotErr := passed(t, strings.NewReader(stream))
		got, err := events(out)
		if err != nil || gotErr != nil && wantErr == nil || strings.Join(got, "\x00") != strings.Join(want, "\x00") {
			t.Errorf("%q became %q: got %q (%v), want %q (%v)", stream, out, got, gotErr, want, wantErr)
		}
	})
}

// BenchmarkPassEvents measures one event of some megabytes that comes in pieces
// of 4 KiB, as from a network: the time for a byte has to be the same for each size.
//
//	go test ./daemon/faces/proxy -run '^$' -bench PassEvents
func BenchmarkPassEvents(b *testing.B) {
	for _, mebibytes := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("%dMiB", mebibytes), func(b *testing.B) {
			stream := "data: " + strings.Repeat("x", mebibytes<<20) + "\n\n"
			b.SetBytes(int64(len(stream)))
			for b.Loop() {
				read := 0
				if err := passEvents(io.Discard, pieces{strings.NewReader(stream)}, everything{}, &read); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// pieces gives at most 4 KiB at a time.
type pieces struct{ io.Reader }

func (p pieces) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), 4<<10)]) }

// The parser of events is given an event in few pieces, however many it came in:
// it looks at all of one again with each.
func TestWithoutComments_fewPieces(t *testing.T) {
	const size = 8 << 20
	in := withoutComments(pieces{strings.NewReader("data: " + strings.Repeat("x", size) + "\n\n")}, io.Discard)
	reads, read := 0, 0
	for buffer := make([]byte, 1<<20); ; reads++ {
		n, err := in.Read(buffer)
		if read += n; err != nil {
			break
		}
	}
	if read != size+len("data: \n\n") || reads > 20 {
		t.Errorf("%d bytes came in %d pieces, want at most 20", read, reads)
	}
}

// A fault over one answer costs that answer only.
func TestRecovered(t *testing.T) {
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	err := recovered(log, func() error { panic("no such event") })
	if err == nil || !strings.HasSuffix(err.Error(), ": no such event") || !strings.Contains(logged.String(), "stream_test.go") {
		t.Errorf("a panic became %v, and in the log %s; want the stack there alone", err, logged.String())
	}
	if err := recovered(log, func() error { return io.ErrUnexpectedEOF }); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("an error became %v", err)
	}
}

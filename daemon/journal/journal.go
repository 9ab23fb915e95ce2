package journal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// queueLength is how many entries may wait for the disk.
	queueLength = 4096
	// maxDetail bounds [Entry.Detail], in bytes: errors can quote anything.
	maxDetail = 1000
	// maxArguments bounds [Entry.Arguments]; longer ones are left to their hash.
	maxArguments = 64 << 10
	// maxIntentWait bounds how long a call waits for the line of its intent, and
	// maxKeepWait for it to be where all intents have to be kept.
	maxIntentWait = 100 * time.Millisecond
	maxKeepWait   = 5 * time.Second
	// maxBatch is about how many bytes are written at once, of which an entry has
	// entrySize and its texts.
	maxBatch  = 1 << 20
	entrySize = 512
)

// Sink keeps a record. [Files] does in a folder; its methods are called by many
// at once, but for Append.
type Sink interface {
	// Append keeps entries in their order, all of them or none.
	Append(ctx context.Context, entries []Entry) error
	// Newest returns up to limit entries that a filter admits, the newest first, and
	// whether there are older ones. Of a call whose outcome is kept, it returns that
	// and not the intent, whose outcome else is [Unknown].
	Newest(ctx context.Context, filter Filter, limit int) (newest []Entry, more bool, err error)
}

// Options are where and how a record is kept.
type Options struct {
	// Sink keeps the record in the place of Dir.
	Sink Sink
	// Strict: a call whose intent cannot be kept is not to be made.
	Strict bool
	// Dir is the folder, which need not exist; empty keeps no file.
	Dir string
	// MaxBytes is the size at which the file is put aside; 0 means 8 MiB.
	MaxBytes int64
	// MaxFiles is how many files put aside are kept; 0 means 4.
	MaxFiles int
	// Export is given each entry but intents besides, by the goroutine that writes; it must
	// not wait. nil is given none.
	Export func(Entry)
	// Log receives each disk error once.
	Log *slog.Logger
	// Now is the clock; nil is the real one.
	Now func() time.Time
}

// Journal appends to a record. It is safe for concurrent use, and several
// processes may append to one folder. A nil Journal keeps nothing.
type Journal struct {
	options Options
	sink    Sink // nil keeps nothing
	queue   chan queued
	lost    atomic.Int64

	// closing guards against a Record after Close, which holds it to write;
	// recorders share it and do nothing under it that can wait.
	closing sync.RWMutex
	closed  bool
	written chan struct{}
}

// queued waits for the disk: an entry, or somebody who waits for those before.
type queued struct {
	entry Entry
	// flushed is sent why the last of them were not kept; it is buffered.
	flushed chan<- error
}

// Open returns the record of a folder. No file is touched before the first
// entry.
func Open(o Options) *Journal {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 8 << 20
	}
	if o.MaxFiles <= 0 {
		o.MaxFiles = 4
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Export == nil {
		o.Export = func(Entry) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	j := &Journal{options: o, sink: o.Sink, queue: make(chan queued, queueLength), written: make(chan struct{})}
	if j.sink == nil && o.Dir != "" {
		j.sink = NewFiles(o.Dir, o.MaxBytes, o.MaxFiles)
	}
	go j.write()
	return j
}

// Record adds an entry. It returns at once; an entry for which there is no room
// is counted and left out.
func (j *Journal) Record(e Entry) {
	if j == nil {
		return
	}
	if e.Time.IsZero() {
		e.Time = j.options.Now()
	}
	if len(e.Detail) > maxDetail {
		e.Detail = e.Detail[:maxDetail] + "…"
	}
	if len(e.Arguments) > maxArguments || !json.Valid(e.Arguments) {
		e.Arguments = nil
	}
	j.closing.RLock()
	defer j.closing.RUnlock()
	if j.closed {
		return
	}
	select {
	case j.queue <- queued{entry: e}:
	default:
		j.lost.Add(1)
	}
}

// Intend records that a call is about to be made, and returns its entry with the
// ID that the line of its outcome has to repeat. The line is kept when it
// returns, unless the disk takes longer than [maxIntentWait]: a call that may
// write is then not held up any longer. With [Options.Strict] the error says that
// the line is not kept, and the call must not be made.
func (j *Journal) Intend(ctx context.Context, e Entry) (Entry, error) {
	if j == nil {
		return e, nil
	}
	e.ID = rand.Text()
	intent := e
	intent.Outcome = Intent
	j.Record(intent)
	wait := maxIntentWait
	if j.options.Strict {
		wait = maxKeepWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := j.flush(ctx); err != nil && j.options.Strict {
		return e, fmt.Errorf("not called: that the call is about to be made could not be recorded: %w", err)
	}
	return e, nil
}

// Close writes what waits, and ends the record.
func (j *Journal) Close() {
	if j == nil {
		return
	}
	j.closing.Lock()
	if !j.closed {
		j.closed = true
		close(j.queue)
	}
	j.closing.Unlock()
	<-j.written
}

// flush returns when what was recorded before is kept, or ctx ends; the error
// says that it may not be. It does not wait where the disk is too far behind.
func (j *Journal) flush(ctx context.Context) error {
	flushed := make(chan error, 1)
	j.closing.RLock()
	if !j.closed {
		select {
		case j.queue <- queued{flushed: flushed}:
		default:
			flushed <- errBehind
		}
	}
	j.closing.RUnlock()
	select {
	case err := <-flushed:
		return err
	case <-j.written:
		return errEnded
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var (
	errBehind = errors.New("too many entries wait to be written")
	errEnded  = errors.New("the record has ended")
)

// write is the goroutine that owns the file.
func (j *Journal) write() {
	defer close(j.written)
	if files, ok := j.sink.(*Files); ok {
		defer files.file.close()
	}
	told := false
	for first := range j.queue {
		entries, flushed, count := j.gather(first)
		var err error
		if len(entries) > 0 && j.sink != nil {
			ctx, cancel := context.WithTimeout(context.Background(), maxKeepWait)
			err = j.sink.Append(ctx, entries)
			cancel()
			if err != nil && !told {
				j.options.Log.Warn("the record of calls is not kept", "error", err)
			}
			told = err != nil
			if told {
				j.lost.Add(count)
			}
		}
		for _, f := range flushed {
			f <- err
		}
	}
}

// gather takes all that waits, up to some size, and returns who waits for it, and
// how many entries it stands for.
func (j *Journal) gather(next queued) (entries []Entry, flushed []chan<- error, count int64) {
	size := 0
	for more := true; more; {
		if next.flushed != nil {
			flushed = append(flushed, next.flushed)
		} else {
			entries = append(entries, next.entry)
			size += entrySize + len(next.entry.Detail) + len(next.entry.Arguments)
			count++
			if next.entry.Outcome != Intent { // its outcome is exported, complete
				j.options.Export(next.entry)
			}
		}
		if size >= maxBatch {
			break
		}
		select {
		case next, more = <-j.queue:
		default:
			more = false
		}
	}
	lost := j.lost.Swap(0)
	if lost > 0 {
		entries = append(entries, Entry{Time: j.options.Now(), Kind: Lost, Outcome: "lost", Detail: fmt.Sprintf("%d entries, more than the disk took", lost)})
	}
	return entries, flushed, count + lost
}

// encode adds an entry as a line.
func encode(batch *bytes.Buffer, e *Entry) {
	line, err := json.Marshal(e)
	if err != nil { // nothing in an entry can fail once its arguments are JSON
		line = fmt.Appendf(nil, `{"time":%q,"kind":%q,"outcome":"lost","detail":"it could not be encoded"}`, e.Time.Format(time.RFC3339Nano), Lost)
	}
	batch.Write(line)
	batch.WriteByte('\n')
}

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
	// maxDetail limits [Entry.Detail], in bytes, because errors can quote anything.
	maxDetail = 1000
	// maxArguments limits [Entry.Arguments]; of longer ones only the hash is stored.
	maxArguments = 64 << 10
	// maxIntentWait limits how long a call waits for the line of its intent. maxKeepWait
	// is the limit if all intents must be stored.
	maxIntentWait = 100 * time.Millisecond
	maxKeepWait   = 5 * time.Second
	// maxBatch is the approximate size of one write, for which an entry counts as
	// entrySize and its texts.
	maxBatch  = 1 << 20
	entrySize = 512
	// maxUnstored is the approximate size of the entries that are kept in memory while the
	// sink fails, and retryEvery how often they are appended again.
	maxUnstored = 16 << 20
	retryEvery  = time.Second
)

// Sink stores a record. [Files] stores it in a folder. Its methods are safe for
// concurrent use, except Append.
type Sink interface {
	// Append stores entries in their order, all or none. An error does not mean that none
	// is stored, so of entries with [Entry.Again] it stores those that are missing.
	Append(ctx context.Context, entries []Entry) error
	// Newest returns up to limit entries that a filter admits, newest first, and whether
	// there are older ones. Of a call with a stored outcome, it returns that, otherwise
	// the intent with the outcome [Unknown].
	Newest(ctx context.Context, filter Filter, limit int) (newest []Entry, more bool, err error)
}

// Options configures a [Journal].
type Options struct {
	// Sink stores the record instead of Dir.
	Sink Sink
	// Strict reports that a call must not be made if its intent cannot be stored, and that
	// outcomes which cannot be stored are kept in memory until they can.
	Strict bool
	// Dir is the folder, which need not exist; "" stores no file.
	Dir string
	// MaxBytes is the size at which the file is rotated; 0 means 8 MiB.
	MaxBytes int64
	// MaxFiles is how many rotated files are kept; 0 means 4.
	MaxFiles int
	// Export, if not nil, is called with each entry except intents, by the writing
	// goroutine. It must not block.
	Export func(Entry)
	// Log receives each disk error once.
	Log *slog.Logger
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// Journal appends to a record. Safe for concurrent use; several processes may append to
// one folder. A nil Journal stores nothing.
type Journal struct {
	options Options
	sink    Sink // nil keeps nothing
	queue   chan queued
	lost    atomic.Int64

	// closing excludes Record after Close, which holds it for writing. Recorders share it
	// and never block while holding it.
	closing sync.RWMutex
	closed  bool
	written chan struct{}

	// The following belong to the writing goroutine: the entries that the sink did not
	// take, without intents; their approximate size; whether it was logged that the sink
	// fails, and that memory is full.
	unstored     []Entry
	unstoredSize int
	told, full   bool
}

// queued is an entry to write, a waiter for the entries before it, or both: an entry whose
// writer waits until it is stored.
type queued struct {
	entry *Entry
	// flushed receives the error of the write that has the entry, and of entries gathered
	// with it; it is buffered.
	flushed chan<- error
}

// Open returns the record in a folder. It touches no file before the first entry.
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

// Record adds an entry without blocking. If the queue is full, the entry is counted and
// dropped.
func (j *Journal) Record(e Entry) {
	if j != nil {
		_ = j.enqueue(queued{entry: j.bounded(e)})
	}
}

// Intend records that a call is about to be made, and returns its entry with the ID for
// the line of its outcome. It waits for the line to be stored, at most [maxIntentWait],
// so that a slow disk does not delay the call further. With [Options.Strict], an error
// means that the line is not stored and the call must not be made.
func (j *Journal) Intend(ctx context.Context, e Entry) (Entry, error) {
	if j == nil {
		return e, nil
	}
	e.ID = rand.Text()
	intent := e
	intent.Outcome = Intent
	wait := maxIntentWait
	if j.options.Strict {
		wait = maxKeepWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := j.store(ctx, j.bounded(intent)); err != nil && j.options.Strict {
		return e, fmt.Errorf("not called: that the call is about to be made could not be recorded: %w", err)
	}
	return e, nil
}

// bounded returns an entry to write, with the time and without what is too long.
func (j *Journal) bounded(e Entry) *Entry {
	if e.Time.IsZero() {
		e.Time = j.options.Now()
	}
	if len(e.Detail) > maxDetail {
		e.Detail = e.Detail[:maxDetail] + "…"
	}
	if len(e.Arguments) > maxArguments || !json.Valid(e.Arguments) {
		e.Arguments = nil
	}
	if e.ID == "" && j.options.Strict { // by which a sink knows an entry that comes again
		e.ID = rand.Text()
	}
	return &e
}

// enqueue hands an item to the writing goroutine without blocking. If the queue is full,
// its entry is counted as lost.
func (j *Journal) enqueue(q queued) error {
	j.closing.RLock()
	defer j.closing.RUnlock()
	if j.closed {
		return errEnded
	}
	select {
	case j.queue <- q:
		return nil
	default:
		if q.entry != nil {
			j.lost.Add(1)
		}
		return errBehind
	}
}

// Close writes pending entries, and ends the record. Entries that the sink did not take
// are appended once more, within [maxKeepWait].
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

// store waits until an entry is stored, with those before it, or ctx ends; an error means
// that it may not be. Without an entry it waits for those before it alone. It does not
// wait if the disk is too far behind.
func (j *Journal) store(ctx context.Context, e *Entry) error {
	// The entry and its waiter are one item: of two, the second would not hear that the
	// first failed in a batch of its own.
	flushed := make(chan error, 1)
	if err := j.enqueue(queued{entry: e, flushed: flushed}); err != nil {
		return err
	}
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
	ctx := context.Background()
	var again <-chan time.Time // nil: nothing is to be appended again
	for {
		select {
		case first, more := <-j.queue:
			if !more {
				j.finish(ctx)
				return
			}
			entries, flushed := j.gather(first)
			err := j.append(ctx, entries)
			if err != nil {
				j.keep(entries, err)
			}
			for _, f := range flushed {
				f <- err
			}
		case <-again:
			again = nil
			_ = j.retry(ctx) // it was logged
		}
		if again == nil && len(j.unstored) > 0 {
			again = time.After(retryEvery)
		}
	}
}

// append gives entries to the sink, with how many were dropped before.
func (j *Journal) append(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 || j.sink == nil {
		return nil
	}
	lost := j.lost.Load()
	if lost > 0 {
		entries = append(entries[:len(entries):len(entries)], Entry{
			Time: j.options.Now(), Kind: Lost, Outcome: "lost", Detail: fmt.Sprintf("%d entries, more than the disk took", lost),
		})
	}
	ctx, cancel := context.WithTimeout(ctx, maxKeepWait)
	defer cancel()
	if err := j.sink.Append(ctx, entries); err != nil {
		return err
	}
	j.lost.Add(-lost)
	j.told = false
	return nil
}

// keep keeps entries that the sink did not take. It omits intents, whose calls are not
// made. Without [Options.Strict] it counts them as lost: a file may have a part of them.
func (j *Journal) keep(entries []Entry, err error) {
	if !j.told {
		j.told = true
		j.options.Log.Warn("the record of calls is not kept", "error", err)
	}
	if !j.options.Strict {
		j.lost.Add(int64(len(entries)))
		return
	}
	for _, e := range entries {
		if e.Outcome == Intent {
			continue
		}
		if j.unstoredSize+sizeOf(&e) > maxUnstored {
			j.lost.Add(1)
			if !j.full {
				j.full = true
				j.options.Log.Error("the record of calls loses entries: more wait to be written than memory keeps", "kept", len(j.unstored))
			}
			continue
		}
		e.Again = true
		j.unstored = append(j.unstored, e)
		j.unstoredSize += sizeOf(&e)
	}
}

// retry appends the entries that the sink did not take.
func (j *Journal) retry(ctx context.Context) error {
	for len(j.unstored) > 0 {
		n, size := 0, 0
		for ; n < len(j.unstored) && size < maxBatch; n++ {
			size += sizeOf(&j.unstored[n])
		}
		if err := j.append(ctx, j.unstored[:n]); err != nil {
			return err
		}
		j.unstored, j.unstoredSize = j.unstored[n:], j.unstoredSize-size
	}
	j.unstored, j.full = nil, false
	return nil
}

// finish appends unstored entries for the last time.
func (j *Journal) finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxKeepWait)
	defer cancel()
	if err := j.retry(ctx); err != nil {
		j.options.Log.Error("the record of calls lacks entries that could not be written to the end", "entries", len(j.unstored), "error", err)
	}
}

// sizeOf returns an entry's approximate size.
func sizeOf(e *Entry) int { return entrySize + len(e.Detail) + len(e.Arguments) }

// gather takes pending entries up to some size, and returns them with their waiters.
func (j *Journal) gather(next queued) (entries []Entry, flushed []chan<- error) {
	size := 0
	for more := true; more; {
		if next.flushed != nil {
			flushed = append(flushed, next.flushed)
		}
		if e := next.entry; e != nil {
			entries = append(entries, *e)
			size += sizeOf(e)
			if e.Outcome != Intent { // its outcome is exported, complete
				j.options.Export(*e)
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
	return entries, flushed
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

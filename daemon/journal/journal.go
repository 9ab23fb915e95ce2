package journal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
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
	// maxIntentWait bounds how long a call waits for the line of its intent.
	maxIntentWait = 100 * time.Millisecond
	// maxBatch is about how many bytes are written at once.
	maxBatch = 1 << 20
)

// Options are where and how a record is kept.
type Options struct {
	// Dir is the folder, which need not exist; empty keeps no file.
	Dir string
	// MaxBytes is the size at which the file is put aside; 0 means 8 MiB.
	MaxBytes int64
	// MaxFiles is how many files put aside are kept; 0 means 4.
	MaxFiles int
	// Export is given each entry but intents besides, by the goroutine that writes; it must
	// not wait. nil is given none.
	Export func(Entry)
	// Log is told once of each trouble with the disk.
	Log *slog.Logger
	// Now is the clock; nil is the real one.
	Now func() time.Time
}

// Journal appends to a record. It is safe for concurrent use, and several
// processes may append to one folder. A nil Journal keeps nothing.
type Journal struct {
	options Options
	file    file
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
	entry   Entry
	flushed chan<- struct{}
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
	j := &Journal{
		options: o, queue: make(chan queued, queueLength), written: make(chan struct{}),
		file: file{path: filepath.Join(o.Dir, name), maxBytes: o.MaxBytes, maxFiles: o.MaxFiles},
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
// ID that the line of its outcome has to repeat. The line is in the file when it
// returns, unless the disk takes longer than [maxIntentWait]: a call that may
// write is then not held up any longer.
func (j *Journal) Intend(ctx context.Context, e Entry) Entry {
	if j == nil {
		return e
	}
	e.ID = rand.Text()
	intent := e
	intent.Outcome = Intent
	j.Record(intent)
	ctx, cancel := context.WithTimeout(ctx, maxIntentWait)
	defer cancel()
	j.flush(ctx)
	return e
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

// flush returns when what was recorded before is on the disk, or ctx ends. It
// does not wait where the disk is too far behind.
func (j *Journal) flush(ctx context.Context) {
	flushed := make(chan struct{})
	j.closing.RLock()
	if !j.closed {
		select {
		case j.queue <- queued{flushed: flushed}:
		default:
			close(flushed)
		}
	}
	j.closing.RUnlock()
	select {
	case <-flushed:
	case <-j.written:
	case <-ctx.Done():
	}
}

// write is the goroutine that owns the file.
func (j *Journal) write() {
	defer close(j.written)
	defer j.file.close()
	var lines bytes.Buffer
	told := false
	for first := range j.queue {
		lines.Reset()
		flushed, count := j.fill(&lines, first)
		if lines.Len() > 0 && j.options.Dir != "" {
			err := j.file.append(lines.Bytes())
			if err != nil && !told {
				j.options.Log.Warn("the record of calls is not kept", "file", j.file.path, "error", err)
			}
			told = err != nil
			if told {
				j.lost.Add(count)
			}
		}
		for _, f := range flushed {
			close(f)
		}
	}
}

// fill adds the lines of all that waits, up to some size, and returns who waits
// for them, and how many entries the lines stand for.
func (j *Journal) fill(lines *bytes.Buffer, next queued) (flushed []chan<- struct{}, count int64) {
	for more := true; more; {
		if next.flushed != nil {
			flushed = append(flushed, next.flushed)
		} else {
			encode(lines, &next.entry)
			count++
			if next.entry.Outcome != Intent { // its outcome is exported, complete
				j.options.Export(next.entry)
			}
		}
		if lines.Len() >= maxBatch {
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
		encode(lines, &Entry{Time: j.options.Now(), Kind: Lost, Outcome: "lost", Detail: fmt.Sprintf("%d entries, more than the disk took", lost)})
	}
	return flushed, count + lost
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

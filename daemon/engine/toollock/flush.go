package toollock

import (
	"errors"
	"fmt"
	"time"

	"github.com/winnow-mcp/winnow/daemon/trust/lock"
)

// retryAfter is how long what could not be written waits.
const retryAfter = 30 * time.Second

// changed marks a server's record as one to write. The caller holds mu.
func (k *Keeper) changed(id identity) {
	k.dirty[id] = true
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// flush writes the records that have changed. What another process has written
// meanwhile is taken in; what cannot be written stays to be written.
func (k *Keeper) flush() {
	k.mu.Lock()
	records := map[identity]*lock.Record{}
	for id := range k.dirty {
		records[id] = k.servers[id].record
	}
	clear(k.dirty)
	k.mu.Unlock()
	var failed []error
	for id, record := range records {
		merged, err := k.files.write(id, record)
		if err != nil {
			failed = append(failed, fmt.Errorf("of server %q: %w", id.name, err))
		}
		k.mu.Lock()
		if err != nil {
			k.dirty[id] = true
		}
		s := k.server(id)
		news := merged != nil && merged != record
		if news {
			s.record = s.record.Merge(merged)
		}
		k.mu.Unlock()
		if news {
			k.options.Changed()
		}
	}
	if len(records) > 0 {
		k.tellUnkept(errors.Join(failed...))
	}
}

// Refresh takes in what another process has written.
func (k *Keeper) Refresh() {
	records, err := k.files.readAll()
	if err != nil {
		k.options.Log.Debug("the lock on tools is not read again", "error", err)
	}
	k.mu.Lock()
	for _, record := range records {
		s := k.server(identity{record.Folder, record.Server})
		s.record = s.record.Merge(record)
	}
	k.mu.Unlock()
	k.options.Changed()
}

// tellUnkept tells the user of records that cannot be written, once until they
// can be.
func (k *Keeper) tellUnkept(err error) {
	k.mu.Lock()
	news := err != nil && !k.unkept
	k.unkept = err != nil
	k.mu.Unlock()
	if news {
		k.options.Warn(fmt.Errorf("the lock on tools cannot be written, and answers are lost with this session unless it can be by then: %w", err))
	}
}

// Package approvals is the one place for every yes of the user's that is
// remembered: it lists them, with since when, and takes them back. Each kind is
// kept by the part that acts on it; this package keeps only since when one is there,
// where nobody else does.
package approvals

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/storage"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Keeper keeps the approvals of one kind.
type Keeper struct {
	// List returns them without ID and, where since when is not known, without
	// Since.
	List func() []protocol.Approval
	// Revoke takes one back, and returns when that is in force.
	Revoke func(ctx context.Context, a protocol.Approval) error
}

// Options are what a [Book] works with.
type Options struct {
	// Storage is the storage path, where it is kept since when approvals are
	// there; empty keeps it in memory.
	Storage string
	Now     func() time.Time
	// Revoked is called with each approval that was taken back.
	Revoked func(a protocol.Approval)
	Log     *slog.Logger
}

// maxSince bounds the approvals of which it is kept since when they are there;
// those that came first give way.
const maxSince = 4096

// The blobs: since when approvals are there, and which was taken back last.
const (
	fileName    = "since"
	revokedName = "revoked"
)

// Book lists approvals. It is safe for concurrent use.
type Book struct {
	options Options
	keepers map[protocol.ApprovalKind]Keeper
	folder  storage.Folder

	// mu guards what follows, and is held while the file is written, which is
	// when an approval comes or goes.
	mu sync.Mutex
	// since has when each was first there, in milliseconds of Unix time.
	since map[string]int64
	// there are those that this session has seen.
	there map[string]bool
	// revoked is what the file of that name held when it was read or written last.
	revoked string
}

// Open returns the book of some keepers. A file that cannot be used is begun
// anew, and the error says so.
func Open(o Options, keepers map[protocol.ApprovalKind]Keeper) (*Book, error) {
	b := &Book{options: o, keepers: keepers, since: map[string]int64{}, there: map[string]bool{}}
	if o.Storage != "" {
		b.folder = folderIn(o.Storage)
	}
	data, err := b.folder.Read(fileName)
	if err == nil && data != nil {
		err = json.Unmarshal(data, &b.since)
	}
	b.RevokedElsewhere()
	return b, ijson.Words(err)
}

// Followed is a file that changes when a process takes an approval back; empty
// where nothing is kept.
func Followed(storagePath string) string {
	if storagePath == "" {
		return ""
	}
	return folderIn(storagePath).Path(revokedName)
}

func folderIn(storagePath string) storage.Folder {
	return storage.Folder{Dir: storagePath, Suffix: ".approvals", Format: "approvals 1"}
}

// RevokedElsewhere reports whether another process has taken an approval back
// since this was called last.
func (b *Book) RevokedElsewhere() bool {
	data, err := b.folder.Read(revokedName)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil || string(data) == b.revoked {
		return false
	}
	b.revoked = string(data)
	return true
}

// noteRevoked tells other processes on the storage path of an approval.
func (b *Book) noteRevoked(id string) {
	b.mu.Lock()
	b.revoked = fmt.Sprintf("%s %d", id, b.options.Now().UnixNano())
	data := []byte(b.revoked)
	b.mu.Unlock()
	if err := b.folder.Write(revokedName, data); err != nil {
		b.options.Log.Warn("sessions that run are not told what was taken back", "error", err)
	}
}

// List returns the approvals by kind, server and tool, and notes those that are
// new.
func (b *Book) List() []protocol.Approval {
	all := []protocol.Approval{}
	for kind, keeper := range b.keepers {
		for _, a := range keeper.List() {
			a.Kind = kind
			a.ID = idOf(&a)
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b protocol.Approval) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.ID, b.ID))
	})
	if err := b.note(all); err != nil {
		b.options.Log.Warn("since when something is approved is not remembered", "error", err)
	}
	return all
}

// note adds since when approvals are there, and forgets those that have gone in
// this session.
func (b *Book) note(all []protocol.Approval) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	news, gone := false, b.there
	b.there = map[string]bool{}
	for i := range all {
		a := &all[i]
		delete(gone, a.ID)
		if a.Since != 0 {
			continue
		}
		b.there[a.ID] = true
		at, known := b.since[a.ID]
		if !known {
			at, news = b.options.Now().UnixMilli(), true
			b.since[a.ID] = at
		}
		a.Since = at
	}
	for id := range gone {
		delete(b.since, id)
	}
	if !news && len(gone) == 0 {
		return nil
	}
	for len(b.since) > maxSince {
		oldest := ""
		for id, at := range b.since {
			if oldest == "" || at < b.since[oldest] {
				oldest = id
			}
		}
		delete(b.since, oldest)
	}
	data, err := json.Marshal(b.since)
	return errors.Join(err, b.folder.Write(fileName, data))
}

// Revoke takes an approval back, and returns which one when that is in force.
func (b *Book) Revoke(ctx context.Context, p *protocol.ApprovalRevokeParams) (protocol.Approval, error) {
	all := b.List()
	i := slices.IndexFunc(all, func(a protocol.Approval) bool { return a.ID == p.ID })
	if i < 0 {
		return protocol.Approval{}, failure.New(protocol.KindInvalidParams, "Look at the list: it may have been taken back already.",
			"there is no approval %q", p.ID)
	}
	if err := b.keepers[all[i].Kind].Revoke(ctx, all[i]); err != nil {
		return all[i], err
	}
	b.noteRevoked(p.ID)
	b.options.Revoked(all[i])
	b.List() // notes that it has gone
	return all[i], nil
}

// idOf names what an approval is about.
func idOf(a *protocol.Approval) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(a.Kind), a.Server, a.Tool, a.To, a.File, a.Folder, a.Task}, "\x00")))
	return hex.EncodeToString(sum[:6])
}

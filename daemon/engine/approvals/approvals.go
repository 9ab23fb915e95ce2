// Package approvals lists all of the user's remembered approvals with the time at which
// they were given, and revokes them. The part that acts on a kind of approval stores it.
// This package stores only the time, for kinds whose part does not.
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
	// List returns the approvals without ID, and without Since if the time is not known.
	List func() []protocol.Approval
	// Revoke revokes an approval, and returns once that is in force.
	Revoke func(ctx context.Context, a protocol.Approval) error
}

// Options configures a [Book].
type Options struct {
	// Storage is the storage path for the times of approvals; if empty, they are kept in
	// memory.
	Storage string
	Now     func() time.Time
	// Revoked is called with each approval that was revoked.
	Revoked func(a protocol.Approval)
	Log     *slog.Logger
}

// maxSince bounds the approvals whose time is kept; the oldest are dropped first.
const maxSince = 4096

// Names of the blobs: the times of approvals, and the approval revoked last.
const (
	fileName    = "since"
	revokedName = "revoked"
)

// Book lists approvals. It is safe for concurrent use.
type Book struct {
	options Options
	keepers map[protocol.ApprovalKind]Keeper
	folder  storage.Folder

	// mu guards the following fields. It is held while the file is written, which happens
	// when an approval is added or removed.
	mu sync.Mutex
	// since maps an approval's ID to when it was first seen, in Unix milliseconds.
	since map[string]int64
	// there holds the IDs of the approvals seen in this session.
	there map[string]bool
	// revoked is the content of the file "revoked" when last read or written.
	revoked string
}

// Open returns the book of some keepers. If the file is unusable, the book starts empty
// and the error says so.
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

// Followed returns a file that changes when a process revokes an approval, or "" if
// nothing is stored.
func Followed(storagePath string) string {
	if storagePath == "" {
		return ""
	}
	return folderIn(storagePath).Path(revokedName)
}

func folderIn(storagePath string) storage.Folder {
	return storage.Folder{Dir: storagePath, Suffix: ".approvals", Format: "approvals 1"}
}

// RevokedElsewhere reports whether another process has revoked an approval since the last
// call.
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

// noteRevoked notifies other processes on the storage path of a revocation.
func (b *Book) noteRevoked(id string) {
	b.mu.Lock()
	b.revoked = fmt.Sprintf("%s %d", id, b.options.Now().UnixNano())
	data := []byte(b.revoked)
	b.mu.Unlock()
	if err := b.folder.Write(revokedName, data); err != nil {
		b.options.Log.Warn("sessions that run are not told what was taken back", "error", err)
	}
}

// List returns the approvals by kind, server and tool, and records the time of new ones.
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

// note records the time of new approvals, and drops that of approvals gone in this
// session.
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

// Revoke revokes an approval and returns it once that is in force.
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
	b.List() // records that it is gone
	return all[i], nil
}

// idOf returns the ID of an approval, a hash of what it is about.
func idOf(a *protocol.Approval) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(a.Kind), a.Server, a.Tool, a.To, a.File, a.Folder, a.Task}, "\x00")))
	return hex.EncodeToString(sum[:6])
}

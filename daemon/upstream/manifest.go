package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/winnow-mcp/winnow/daemon/storage"
)

// manifest is the saved state of a server between runs of the daemon. It holds what the
// server sent and nothing of its configuration, so it holds no secrets.
type manifest struct {
	Era          Era
	OAuth        bool
	Info         Info
	Instructions string
	Capabilities json.RawMessage
	Tools        []Tool
}

// manifestHeader is the first line of a manifest. The JSON of the capabilities and tools
// follows, concatenated. It is outside the header because nesting it in another JSON
// value would not keep it byte for byte.
type manifestHeader struct {
	Era          Era    `json:"era,omitempty"`
	OAuth        bool   `json:"oauth,omitempty"`
	Info         Info   `json:"info"`
	Instructions string `json:"instructions,omitempty"`
	// Capabilities is the length in bytes of the server's capabilities, which come first.
	// Tools are the names and lengths of its tools.
	Capabilities int            `json:"capabilities,omitempty"`
	Tools        []manifestTool `json:"tools"`
}

type manifestTool struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// manifestFormat changes with the format of a manifest, and with the cleaning that is
// applied before a manifest is saved.
const manifestFormat = "manifest 4"

// manifestMaxAge is how long an unused manifest is kept.
const manifestMaxAge = 90 * 24 * time.Hour

// Manifests stores manifests, keyed by the hash of a configuration. It ignores manifests
// of another [ManifestFormat]. It is safe for concurrent use, also by several processes.
type Manifests interface {
	// Read returns a manifest and marks it as used. It returns nil, nil if there is none.
	Read(hash string) ([]byte, error)
	// Write creates or replaces a manifest.
	Write(hash string, data []byte) error
	// Prune deletes manifests that were not used for 90 days. Clear deletes all.
	Prune() error
	Clear() error
}

// SharedManifests are those of several processes, of which one asks a server for its
// tools and writes them for the others. Each calls [Manager.Relist] once it may ask, or
// once there is a newer manifest.
type SharedManifests interface {
	Manifests
	// Asks reports whether this process is the one that asks, for a configuration's hash.
	// If it is not, Asks returns the manifest, and waits for the first one. Write does
	// nothing in other processes.
	Asks(ctx context.Context, hash string) (asks bool, data []byte, err error)
	// Failed notes that this process has asked in vain, so that another one asks.
	Failed(hash string)
}

// ManifestFormat is the format of the manifests in [Manifests].
const ManifestFormat = manifestFormat

// FolderManifests returns the manifests in a folder.
func FolderManifests(dir string) Manifests {
	return folderManifests{storage.Folder{
		Dir: dir, Suffix: ".manifest", Format: manifestFormat, Bounds: storage.Bounds{MaxAge: manifestMaxAge},
	}}
}

type folderManifests struct{ storage.Folder }

// Read implements [Manifests].
func (f folderManifests) Read(hash string) ([]byte, error) {
	data, err := f.Folder.Read(hash)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Path(hash), err)
	}
	if data != nil {
		f.Use(hash)
	}
	return data, nil
}

// manifests reads and writes manifests. If kept is nil, nothing is saved.
type manifests struct {
	kept Manifests
	log  *slog.Logger
}

// openManifests returns the manifests in a folder.
func openManifests(dir string, log *slog.Logger) manifests {
	return manifests{log: log, kept: FolderManifests(dir)}
}

// load returns the manifest for a configuration's hash, or nil. One that cannot be read
// or decoded is logged and ignored.
func (m manifests) load(hash string) *manifest {
	if m.kept == nil {
		return nil
	}
	data, err := m.kept.Read(hash)
	if data == nil && err == nil {
		return nil
	}
	var out *manifest
	if err == nil {
		out, err = decodeManifest(data)
	}
	if err != nil {
		m.log.Warn("manifest cache: ignoring what is kept", "hash", hash, "error", err)
		return nil
	}
	return out
}

// shared returns the manifests as those of several processes, or nil.
func (m manifests) shared() SharedManifests {
	shared, _ := m.kept.(SharedManifests)
	return shared
}

// listed returns the [wire.Attempt.Listed] for a configuration's hash.
func (m manifests) listed(hash string) func(context.Context) ([]Tool, bool, error) {
	shared := m.shared()
	if shared == nil {
		return nil
	}
	return func(ctx context.Context) ([]Tool, bool, error) {
		asks, data, err := shared.Asks(ctx, hash)
		if err != nil || asks {
			return nil, false, err
		}
		one, err := decodeManifest(data)
		if err != nil {
			return nil, false, fmt.Errorf("what another process has listed: %w", err)
		}
		return one.Tools, true, nil
	}
}

// save writes a manifest. An error is logged, and reported by false.
func (m manifests) save(hash string, value *manifest) bool {
	if m.kept == nil {
		return true
	}
	data, err := encodeManifest(value)
	if err == nil {
		err = m.kept.Write(hash, data)
	}
	if err != nil {
		m.log.Warn("manifest cache: cannot write", "hash", hash, "error", err)
	}
	return err == nil
}

// prune deletes manifests that were not used for long. An error is ignored: the next run
// prunes again.
func (m manifests) prune() { _ = m.kept.Prune() }

// clear deletes all manifests.
func (m manifests) clear() error {
	if m.kept == nil {
		return nil
	}
	if err := m.kept.Clear(); err != nil {
		return fmt.Errorf("delete what is kept of servers: %w", err)
	}
	return nil
}

func encodeManifest(value *manifest) ([]byte, error) {
	var body bytes.Buffer
	body.Write(value.Capabilities)
	header := manifestHeader{
		Era: value.Era, OAuth: value.OAuth, Info: value.Info,
		Instructions: value.Instructions, Capabilities: len(value.Capabilities),
	}
	for _, tool := range value.Tools {
		body.Write(tool.Raw)
		header.Tools = append(header.Tools, manifestTool{Name: tool.Name, Size: len(tool.Raw)})
	}
	line, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	return append(append(line, '\n'), body.Bytes()...), nil
}

func decodeManifest(data []byte) (*manifest, error) {
	line, body, found := bytes.Cut(data, []byte("\n"))
	if !found {
		return nil, errors.New("truncated")
	}
	var header manifestHeader
	if err := json.Unmarshal(line, &header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	out := &manifest{
		Era: header.Era, OAuth: header.OAuth, Info: header.Info, Instructions: header.Instructions,
		Tools: make([]Tool, 0, len(header.Tools)),
	}
	next := func(size int) ([]byte, bool) {
		if size < 0 || size > len(body) {
			return nil, false
		}
		part := body[:size:size]
		body = body[size:]
		return part, true
	}
	capabilities, ok := next(header.Capabilities)
	out.Capabilities = nilIfEmpty(capabilities)
	for _, tool := range header.Tools {
		raw, fits := next(tool.Size)
		ok = ok && fits
		out.Tools = append(out.Tools, Tool{Name: tool.Name, Raw: raw})
	}
	if !ok || len(body) > 0 {
		return nil, errors.New("damaged: the sizes do not fit")
	}
	return out, nil
}

func nilIfEmpty(b []byte) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	return b
}

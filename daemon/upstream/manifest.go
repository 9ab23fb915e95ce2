package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/winnow-mcp/winnow/daemon/storage"
)

// manifest is what is remembered of a server between runs of the daemon. It
// holds what the server said and nothing of its configuration, so no secrets.
type manifest struct {
	Era          Era
	OAuth        bool
	Info         Info
	Instructions string
	Capabilities json.RawMessage
	Tools        []Tool
}

// manifestHeader is the first line of a manifest. The JSON of the tools
// follows, one after the other without separators: inside another JSON value
// it would not keep its bytes.
type manifestHeader struct {
	Era          Era    `json:"era,omitempty"`
	OAuth        bool   `json:"oauth,omitempty"`
	Info         Info   `json:"info"`
	Instructions string `json:"instructions,omitempty"`
	// Capabilities is the length of the server's capabilities, which come
	// first; Tools are the names and lengths of its tools.
	Capabilities int            `json:"capabilities,omitempty"`
	Tools        []manifestTool `json:"tools"`
}

type manifestTool struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// manifestFormat changes with the form of a manifest, and with what is done to
// what servers say before it is kept.
const manifestFormat = "manifest 4"

// manifestMaxAge is how long an unused manifest is kept.
const manifestMaxAge = 90 * 24 * time.Hour

// Manifests keeps texts about servers, by the hash of a configuration. A text of
// another [ManifestFormat] is none of them. It is safe for concurrent use, also
// by several processes.
type Manifests interface {
	// Read returns a text, whose use it notes; nil when there is none.
	Read(hash string) ([]byte, error)
	// Write replaces a text.
	Write(hash string, data []byte) error
	// Prune deletes those that were not used for long, Clear all.
	Prune() error
	Clear() error
}

// ManifestFormat is that of the texts in [Manifests].
const ManifestFormat = manifestFormat

// FolderManifests are those in a folder.
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

// manifests are the kept manifests; without Manifests nothing is remembered.
type manifests struct {
	kept Manifests
	log  *slog.Logger
}

// openManifests returns those of a folder.
func openManifests(dir string, log *slog.Logger) manifests {
	return manifests{log: log, kept: FolderManifests(dir)}
}

// load returns the manifest kept under a configuration's hash, or nil. A file
// that cannot be read or is damaged counts as none: the server is asked.
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

// save keeps a manifest. Failing to is not worth more than a log line.
func (m manifests) save(hash string, value *manifest) {
	if m.kept == nil {
		return
	}
	data, err := encodeManifest(value)
	if err == nil {
		err = m.kept.Write(hash, data)
	}
	if err != nil {
		m.log.Warn("manifest cache: cannot write", "hash", hash, "error", err)
	}
}

// prune removes the manifests of configurations that are gone for long. Failing
// to is made up for by the next run.
func (m manifests) prune() { _ = m.kept.Prune() }

// clear removes all manifests.
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

package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// FileName is the name of the lock file in a workspace folder.
const FileName = "winnow.lock.json"

// Version is the version of the format.
const Version = 1

// File is a lock on what servers offer: `winnow.lock.json` in a workspace folder, made to
// be committed. It holds hashes, no texts, sorted by name, so that changes of two people
// merge.
type File struct {
	// Version is the version of the format: 1.
	Version int `json:"version"`
	// Servers maps names to servers.
	Servers map[string]Server `json:"servers"`
}

// Server is the lock on one server.
type Server struct {
	// Origin is the source of the server. It is informational and not compared: consent
	// to what starts is stored elsewhere.
	Origin Origin `json:"origin,omitzero"`
	// ReportedVersion is the version that the server reports. It is informational and not
	// compared.
	ReportedVersion string `json:"reportedVersion,omitzero"`
	// Instructions is the hash of the server's instructions.
	Instructions string `json:"instructions,omitzero"`
	// Tools maps the server's names to tools.
	Tools map[string]Entry `json:"tools"`
	// Prompts maps the server's names to prompts.
	Prompts map[string]Entry `json:"prompts,omitzero"`
}

// Origin is the source of a server.
type Origin struct {
	// Package is the package that a package manager runs, such as
	// `npm:@scope/name@1.2.3`; empty if unknown.
	Package string `json:"package,omitzero"`
	// Integrity is the package manager's hash of the installed package, such as
	// `sha512-…`.
	Integrity string `json:"integrity,omitzero"`
	// Definition is the hash of the command, arguments and URL as written in the
	// configuration.
	Definition string `json:"definition,omitzero"`
}

// Entry is the lock on one tool or prompt: a hash of each part, empty for a missing part.
// The arguments of a prompt are its input schema.
type Entry struct {
	// Texts is the hash of title and description.
	Texts        string `json:"texts,omitzero"`
	InputSchema  string `json:"inputSchema,omitzero"`
	OutputSchema string `json:"outputSchema,omitzero"`
	Annotations  string `json:"annotations,omitzero"`
	// Meta is the hash of `_meta`, or `-` if there was none. It is empty in entries from
	// before it was compared.
	Meta string `json:"meta,omitzero"`
	// State is `seen` or `approved`; empty means seen.
	State protocol.LockState `json:"state,omitzero"`
}

// Same reports whether two entries have the same content, whatever their states.
func (e Entry) Same(other Entry) bool { return len(differ(e, other)) == 0 }

// approved reports whether a person has approved the content.
func (e Entry) approved() bool { return e.State == protocol.LockApproved }

// Part is a part of a tool that is compared.
type Part = protocol.LockPart

// The values of [Part].
const (
	Texts        = protocol.LockTexts
	InputSchema  = protocol.LockInputSchema
	OutputSchema = protocol.LockOutputSchema
	Annotations  = protocol.LockAnnotations
	Meta         = protocol.LockMeta
)

// DecodeFile decodes a lock file. The error does not contain the path.
func DecodeFile(data []byte) (*File, error) {
	// Check the version first: a newer one may have unknown members.
	var written struct {
		Version *int `json:"version"`
	}
	switch err := json.Unmarshal(data, &written); {
	case err != nil:
		return nil, fmt.Errorf("%w; write it anew by `winnowd lock -update`", ijson.Words(err))
	case written.Version == nil:
		return nil, errors.New("it has no version; write it anew by `winnowd lock -update`")
	case *written.Version != Version:
		return nil, fmt.Errorf("it has version %d, and this winnowd reads %d; use the winnowd that wrote it, or write it anew", *written.Version, Version)
	}
	var file File
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("%w; write it anew by `winnowd lock -update`", ijson.Words(err))
	}
	return &file, nil
}

package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// FileName is that of a workspace's lock, in its folder.
const FileName = "winnow.lock.json"

// Version of the format that is written and read.
const Version = 1

// File is a lock on what servers offer: `winnow.lock.json` in a workspace
// folder, made to be committed. It holds hashes, no texts, sorted by name, so
// that two people's changes merge.
type File struct {
	// Version of the format: 1.
	Version int `json:"version"`
	// Servers by name.
	Servers map[string]Server `json:"servers"`
}

// Server is what is known of one server.
type Server struct {
	// Origin is where the server comes from. It is for people, and not compared:
	// what starts is consented to elsewhere.
	Origin Origin `json:"origin,omitzero"`
	// ReportedVersion is what the server says of itself. It is for people, and
	// not compared.
	ReportedVersion string `json:"reportedVersion,omitzero"`
	// Instructions is the hash of the server's instructions.
	Instructions string `json:"instructions,omitzero"`
	// Tools by their own names.
	Tools map[string]Entry `json:"tools"`
	// Prompts by their own names.
	Prompts map[string]Entry `json:"prompts,omitzero"`
}

// Origin is where a server comes from.
type Origin struct {
	// Package is what a package manager is told to run, such as
	// `npm:@scope/name@1.2.3`; empty where none is known.
	Package string `json:"package,omitzero"`
	// Integrity is what the package manager knows of what it installed, such as
	// `sha512-…`.
	Integrity string `json:"integrity,omitzero"`
	// Definition is the hash of what starts or reaches the server, as it is
	// written: command, arguments and URL.
	Definition string `json:"definition,omitzero"`
}

// Entry is what is known of one tool or prompt: a hash of each part of what its
// server said of it; empty where it said nothing. The arguments of a prompt are
// its input schema.
type Entry struct {
	// Texts is the hash of title and description.
	Texts        string `json:"texts,omitzero"`
	InputSchema  string `json:"inputSchema,omitzero"`
	OutputSchema string `json:"outputSchema,omitzero"`
	Annotations  string `json:"annotations,omitzero"`
	// Meta is the hash of `_meta`, `-` where the server said none; empty where it
	// was locked before that was compared.
	Meta string `json:"meta,omitzero"`
	// State is `seen` or `approved`; empty is seen.
	State protocol.LockState `json:"state,omitzero"`
}

// Same reports whether two entries are of the same content, whatever is
// thought of it.
func (e Entry) Same(other Entry) bool { return len(differ(e, other)) == 0 }

// approved reports whether somebody has approved of the content.
func (e Entry) approved() bool { return e.State == protocol.LockApproved }

// Part is a part of a tool that can change.
type Part = protocol.LockPart

// The values of [Part].
const (
	Texts        = protocol.LockTexts
	InputSchema  = protocol.LockInputSchema
	OutputSchema = protocol.LockOutputSchema
	Annotations  = protocol.LockAnnotations
	Meta         = protocol.LockMeta
)

// DecodeFile reads a lock file. The error says what is wrong with it, and not
// where it lies.
func DecodeFile(data []byte) (*File, error) {
	// The version first: a newer one may have members that are not known here.
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

package lock

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
	// ReportedVersion is what the server says of itself. It is for people, and
	// not compared.
	ReportedVersion string `json:"reportedVersion,omitzero"`
	// Instructions is the hash of the server's instructions.
	Instructions string `json:"instructions,omitzero"`
	// Tools by their own names.
	Tools map[string]Entry `json:"tools"`
}

// Entry is what is known of one tool: a hash of each part of what its
// server said of it; empty where it said nothing.
type Entry struct {
	// Texts is the hash of title and description.
	Texts        string `json:"texts,omitzero"`
	InputSchema  string `json:"inputSchema,omitzero"`
	OutputSchema string `json:"outputSchema,omitzero"`
	Annotations  string `json:"annotations,omitzero"`
}

// Part is a part of a tool that can change.
type Part string

// The values of [Part].
const (
	Texts        Part = "texts"
	InputSchema  Part = "inputSchema"
	OutputSchema Part = "outputSchema"
	Annotations  Part = "annotations"
)

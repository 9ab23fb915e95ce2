package protocol

import "encoding/json"

// MaxJournalEntries is how many entries journal/list answers with at most.
const MaxJournalEntries = 1000

// JournalListParams asks for the newest entries of the record of calls:
// journal/list.
type JournalListParams struct {
	// Server restricts them to one server; empty is all.
	Server string `json:"server,omitzero"`
	// Limit is how many at most; 0 is [MaxJournalEntries].
	Limit int `json:"limit,omitzero"`
}

// JournalListResult is the record's end.
type JournalListResult struct {
	// Entries are the newest first.
	Entries []JournalEntry `json:"entries"`
	// Truncated: there are older ones.
	Truncated bool `json:"truncated,omitzero"`
}

// JournalEntry is one entry of the record of calls. Its texts are for people,
// and free of control characters.
type JournalEntry struct {
	// Time is when it began, as RFC 3339.
	Time string `json:"time"`
	// Title is what it is of: a server, and its tool.
	Title string `json:"title"`
	// Outcome is how it ended, and how long it took.
	Outcome string `json:"outcome"`
	// Details are who asked for it, who confirmed it, and all else.
	Details string `json:"details"`
	// Record is the entry as it is kept.
	Record json.RawMessage `json:"record"`
}

package protocol

// ImportListResult lists the files of other clients that have servers which can
// be moved to a file of Winnow's own: those of each workspace folder first, then
// the user's: import/list. Files are read as they are on the disk.
type ImportListResult struct {
	Files []ImportFile `json:"files"`
}

// ImportFile is a file of another client that has servers.
type ImportFile struct {
	// Client is what people call the program that owns the file.
	Client string `json:"client"`
	URI    string `json:"uri"`
	// Target is Winnow's own file that the servers go to. It need not exist.
	Target  string         `json:"target"`
	Servers []ImportServer `json:"servers"`
}

// ImportServer is a server of another client's file.
type ImportServer struct {
	Name  string      `json:"name"`
	State ImportState `json:"state"`
	// Problem says why an unusable one is.
	Problem string `json:"problem,omitzero"`
	// Words say both for people; empty for a new one.
	Words string `json:"words,omitzero"`
}

// ImportState is what Winnow's own file says about a server that may be moved
// there.
type ImportState string

// The values of [ImportState].
const (
	// The file has no entry of that name.
	ImportNew ImportState = "new"
	// It has an entry with rules for the server's tools, which the server joins.
	ImportMerges ImportState = "merges"
	// It defines a server of that name, so that this one stays where it is.
	ImportTaken ImportState = "taken"
	// Something is wrong with its entry: it stays where it is until that is
	// corrected.
	ImportUnusable ImportState = "unusable"
)

// ImportPlanParams asks what a move of servers would change: import/plan.
type ImportPlanParams struct {
	// Source and Target are the URIs of the two files of an [ImportFile].
	Source string `json:"source"`
	Target string `json:"target"`
	// Servers are the names of those to move.
	Servers []string `json:"servers"`
}

// FileChange is what a file holds and what it will hold.
type FileChange struct {
	URI string `json:"uri"`
	// Before and After are absent where there is no such file.
	Before *string `json:"before,omitzero"`
	After  *string `json:"after,omitzero"`
}

// ImportPlanResult is a move that can be shown and made. Nothing is written.
type ImportPlanResult struct {
	// Servers are those that move; none when there is nothing to do.
	Servers []string `json:"servers"`
	// Changes has Winnow's own file first. Written in this order, a failure in
	// between leaves a server in both files, and not in none.
	Changes []FileChange `json:"changes"`
	// Notes are what the user should know. Words say it for people, in sentences.
	Notes []ImportNote `json:"notes,omitzero"`
	Words string       `json:"words"`
}

// ImportNote is something that a user should know about a move, or about its
// undoing.
type ImportNote struct {
	Kind ImportNoteKind `json:"kind"`
	// Server is the name of the server concerned, of the kinds that say so.
	Server string `json:"server,omitzero"`
	// Keys are those left out.
	Keys []string `json:"keys,omitzero"`
	// Problem says what is wrong with an unusable entry.
	Problem string `json:"problem,omitzero"`
	// Path is the file concerned.
	Path string `json:"path"`
}

// ImportNoteKind is the kind of an [ImportNote].
type ImportNoteKind string

// The values of [ImportNoteKind].
const (
	// Winnow's file defines a server of that name: this one stays in its file.
	NoteTaken ImportNoteKind = "taken"
	// Something is wrong with the server's entry: it stays in its file.
	NoteUnusable ImportNoteKind = "unusable"
	// Winnow's file has rules for the server's tools, which stay in force.
	NoteMerged ImportNoteKind = "merged"
	// Keys of the entry are left out: Winnow has no such thing.
	NoteKeysLeftOut ImportNoteKind = "keysLeftOut"
	// Undoing: the file was changed since the move, and only what the move put
	// there is taken out.
	NoteChangedSince ImportNoteKind = "changedSince"
	// Undoing: the server is in its client's file again, and stays as it is there.
	NoteThereAgain ImportNoteKind = "thereAgain"
)

// ImportApplyParams makes a move, after both files and how to undo it are kept:
// import/apply.
type ImportApplyParams struct {
	Plan ImportPlanParams `json:"plan"`
	// Changes are those that the user has agreed to. The move is refused when it
	// would make others by now.
	Changes []FileChange `json:"changes"`
	// Settings are the host's own that are changed with the move, for the host
	// to change back when it is undone.
	Settings []ImportSetting `json:"settings,omitzero"`
}

// ImportSetting is a setting of the host's that was changed with a move.
type ImportSetting struct {
	Name   string `json:"name"`
	Before any    `json:"before,omitzero"`
	After  any    `json:"after"`
	// Target is whose setting it is: "user". Versions that did not say so may have
	// changed the workspace's.
	Target string `json:"target,omitzero"`
}

// ImportApplyResult names the move for its undoing.
type ImportApplyResult struct {
	Import string `json:"import"`
}

// ImportHistoryResult lists the moves that can be undone, the newest first:
// import/history.
type ImportHistoryResult struct {
	Imports []ImportRecord `json:"imports"`
	// Broken are those whose record cannot be read any more.
	Broken []BrokenImport `json:"broken"`
}

// ImportRecord is a move that can be undone.
type ImportRecord struct {
	Import string `json:"import"`
	// Client is the one whose file the servers came from.
	Client   string          `json:"client"`
	Source   string          `json:"source"`
	Target   string          `json:"target"`
	Servers  []string        `json:"servers"`
	Settings []ImportSetting `json:"settings,omitzero"`
}

// BrokenImport is a move whose record cannot be read. Both files as they were
// before it are in the folder.
type BrokenImport struct {
	Folder string `json:"folder"`
	Reason string `json:"reason"`
}

// ImportPlanUndoParams asks what undoing a move would change: import/planUndo.
// It is refused when the move was undone already.
type ImportPlanUndoParams struct {
	Import string `json:"import"`
}

// ImportPlanUndoResult is what undoing a move changes. Nothing is written. A
// file that has not changed since the move gets its text back; in another one
// only the entries are put back and taken out.
type ImportPlanUndoResult struct {
	// Changes has the other client's file first.
	Changes []FileChange `json:"changes"`
	// Notes are what the user should know. Words say it for people, in sentences.
	Notes []ImportNote `json:"notes,omitzero"`
	Words string       `json:"words"`
}

// ImportUndoParams undoes a move and forgets what was kept for it: import/undo.
type ImportUndoParams struct {
	Import string `json:"import"`
	// Changes are those that the user has agreed to. Undoing is refused when it
	// would make others by now.
	Changes []FileChange `json:"changes"`
}

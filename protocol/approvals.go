package protocol

// ApprovalKind is what a user has said yes to.
type ApprovalKind string

// The values of [ApprovalKind].
const (
	// ApprovalAlwaysAllow: a tool runs without asking, by `alwaysAllow` of its
	// server's entry in File.
	ApprovalAlwaysAllow ApprovalKind = "alwaysAllow"
	// ApprovalChat: a tool runs without asking in the chat Task, until it is
	// closed or winnowd ends.
	ApprovalChat ApprovalKind = "chat"
	// ApprovalRan: a tool of which its server says that it only reads was let run,
	// and runs without asking as long as it is as it was.
	ApprovalRan ApprovalKind = "ran"
	// ApprovalReviewed: what the server says of Count things was approved.
	ApprovalReviewed ApprovalKind = "reviewed"
	// ApprovalConsent: what an entry of File starts may start.
	ApprovalConsent ApprovalKind = "consent"
	// ApprovalRedirect: the server may redirect to the address To.
	ApprovalRedirect ApprovalKind = "redirect"
	// ApprovalPair: what the server answers may go to the server To, in Folder.
	ApprovalPair ApprovalKind = "pair"
	// ApprovalGating: a server may see messages, by `winnow.gating.servers`.
	ApprovalGating ApprovalKind = "gating"
)

// Approval is a yes of the user's that is remembered.
type Approval struct {
	// ID names it in approvals/revoke. It is the same in each session.
	ID   string       `json:"id"`
	Kind ApprovalKind `json:"kind"`
	// Server is the server's name, and Tool the tool's own.
	Server string `json:"server"`
	Tool   string `json:"tool,omitzero"`
	// To is the other server of a pair, or the address of a redirect.
	To string `json:"to,omitzero"`
	// File is where the yes stands, or the entry that it is about; Folder the
	// workspace folder that it counts in, or whose files define the server. Both are empty where there is
	// none.
	File   string `json:"file,omitzero"`
	Folder string `json:"folder,omitzero"`
	Task   string `json:"task,omitzero"`
	Count  int    `json:"count,omitzero"`
	// Since is when it was given, in milliseconds of Unix time; where that is
	// written nowhere, when Winnow first saw it.
	Since int64 `json:"since"`
	// Imported is the client that ran the tool unasked by the entry that was imported
	// from it; empty where the yes was given to Winnow.
	Imported string `json:"imported,omitzero"`
	// Row shows it; from faces that do.
	Row *Row `json:"row,omitempty"`
}

// ApprovalListResult holds every yes that is remembered, by kind, server and
// tool: approvals/list.
type ApprovalListResult struct {
	Approvals []Approval `json:"approvals"`
}

// ApprovalRevokeParams takes one back: approvals/revoke. One that stands in a
// setting is the host's to take back; the error names the setting.
type ApprovalRevokeParams struct {
	ID string `json:"id"`
}

package protocol

// TaskReportParams asks for what a chat shows of a task: task/report.
type TaskReportParams struct {
	Task  string      `json:"task"`
	About ReportAbout `json:"about"`
	// Tool restricts a report on why to one tool, as in [TaskExplainParams].
	Tool string `json:"tool,omitzero"`
	// Sections are those of [TaskUsageParams].
	Sections []UsageSection `json:"sections,omitzero"`
}

// ReportAbout is what a report is about.
type ReportAbout string

// What reports are about: why tools are or are not attached, and where the
// context goes.
const (
	ReportWhy   ReportAbout = "why"
	ReportUsage ReportAbout = "usage"
)

// Report is a text for a chat, as Markdown.
type Report struct {
	Markdown string `json:"markdown"`
}

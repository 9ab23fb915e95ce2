package protocol

// TaskRowsResult holds what task/list does, in its order and in words:
// task/rows.
type TaskRowsResult struct {
	Tasks []TaskRow `json:"tasks"`
	// Week says what was saved this week; empty before there is a request to sum
	// up.
	Week string `json:"week"`
}

// TaskRow is an open task with its texts.
type TaskRow struct {
	TaskSummary

	Texts TaskTexts `json:"texts"`
}

// TaskTexts words an open task. Its title and the name of its model are known to
// the host alone, which adds them.
type TaskTexts struct {
	// Row is the task's. Its label is the place of the task, as "Task 2".
	Row Row `json:"row"`
	// Summary says what was attached and what that saves, as a part of a sentence.
	Summary string `json:"summary"`
	// Notes are sentences on what the person has to know besides: the tools that
	// routing would have missed, then the warnings.
	Notes []string `json:"notes,omitzero"`
	// Warnings are the rows of those notes that no row of a tool tells of.
	Warnings []Row `json:"warnings,omitzero"`
	// Costs is both comparisons of what it costs, in sentences.
	Costs string `json:"costs"`
	// Used says what the model had at hand; empty before it has called a tool.
	Used string `json:"used,omitzero"`
}

// TaskToolsResult holds the rows of the tools that a task has missed, and of
// those that it has, each with those first that were called: task/tools.
type TaskToolsResult struct {
	Rows []TaskToolRow `json:"rows"`
}

// TaskToolRow is the row of a tool of a task.
type TaskToolRow struct {
	Tool ToolRef `json:"tool"`
	Row  Row     `json:"row"`
}

// TaskWhyParams asks why tools are or are not attached to a task, as a quick
// pick of an editor shows it: task/why.
type TaskWhyParams struct {
	Task string `json:"task"`
	// Tool is what is explained; absent lists all tools.
	Tool *ToolRef `json:"tool,omitzero"`
	// Details asks for the rule, the rank and the score of Tool.
	Details bool `json:"details,omitzero"`
}

// TaskWhyResult holds the rows of a quick pick. A tool that the task does not
// know any more is answered by the list of all.
type TaskWhyResult struct {
	Title  string      `json:"title"`
	Groups []PickGroup `json:"groups"`
	// Back asks for what a person comes back to; absent for the list of all.
	Back *TaskWhyParams `json:"back,omitzero"`
}

// PickGroup is a group of rows of a quick pick, under a heading.
type PickGroup struct {
	Heading string    `json:"heading"`
	Rows    []PickRow `json:"rows"`
}

// PickRow is a row of a quick pick: what VS Code's QuickPickItem holds.
type PickRow struct {
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
	Detail      string `json:"detail,omitzero"`
	// Next asks for what is shown when the row is chosen.
	Next *TaskWhyParams `json:"next,omitzero"`
	// Place is a cause; where it is written is opened when the row is chosen.
	Place *Cause `json:"place,omitzero"`
}

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

// TaskWhyParams asks why tools are or are not attached, as a page of an editor
// shows it: task/why.
type TaskWhyParams struct {
	// Task is what is explained; empty together with Message only.
	Task string `json:"task,omitzero"`
	// Message, where it is not empty, is tried: the answer tells what a new task
	// would get that begins with it, with the list of tools and the model of Task.
	// Nothing is sent to a model or a server, no task is opened, nothing is learned.
	Message string `json:"message,omitzero"`
	// Source is the host tool list of Message where there is no Task; empty is the
	// daemon's servers.
	Source string `json:"source,omitzero"`
	// Filter leaves those tools whose server, name or sentence has each of its
	// words.
	Filter string `json:"filter,omitzero"`
	// Open are the tools of which the rule, the rank and the score are told, too.
	Open []ToolRef `json:"open,omitzero"`
}

// TaskWhyResult is the page. Its texts are plain.
type TaskWhyResult struct {
	// Summary says how many tools are attached, and what they cost.
	Summary string `json:"summary"`
	// Note says what is to be known of the answer, such as that the user only
	// watches; empty for nothing.
	Note string `json:"note,omitzero"`
	// Groups are in the order in which they are shown; none is empty.
	Groups []WhyGroup `json:"groups"`
}

// WhyGroup holds the tools of which the same became, those that were called first,
// then by relevance.
type WhyGroup struct {
	// ID is stable.
	ID      string   `json:"id"`
	Heading string   `json:"heading"`
	Rows    []WhyRow `json:"rows"`
	// More says how many there are besides; empty where Rows are all.
	More string `json:"more,omitzero"`
}

// WhyRow says of one tool why it is attached or not.
type WhyRow struct {
	Tool   ToolRef `json:"tool"`
	Name   string  `json:"name"`
	Tokens string  `json:"tokens"`
	// Sentence says why.
	Sentence string `json:"sentence"`
	// Why is what the button is called that opens the details.
	Why string `json:"why"`
	// On is what the switch of the tool stands at; absent where it has none.
	On      *bool       `json:"on,omitzero"`
	Actions []WhyAction `json:"actions"`
	// Details are there where they were asked for.
	Details *WhyDetails `json:"details,omitzero"`
}

// WhyAction is a button beside a tool.
type WhyAction struct {
	Label string `json:"label"`
	// Command is an editor's command on the tool.
	Command string `json:"command"`
}

// WhyDetails say what decided about a tool.
type WhyDetails struct {
	// Verdict is a sentence with the rule and the rank; Score sums up Parts, and is
	// empty where the tool was not compared.
	Verdict string    `json:"verdict"`
	Score   string    `json:"score,omitzero"`
	Parts   []WhyPart `json:"parts,omitzero"`
	// Place is what the tool is kept out by, where that is written somewhere, and
	// PlaceLabel what the button is called that opens it.
	Place      *Cause `json:"place,omitzero"`
	PlaceLabel string `json:"placeLabel,omitzero"`
}

// WhyPart is a part of a score.
type WhyPart struct {
	Name string `json:"name"`
	// Value has its sign. Matched is what of the message and the tool it comes from.
	Value   string `json:"value"`
	Matched string `json:"matched,omitzero"`
}

package protocol

// TaskUsageRowsParams asks where the context goes, as a panel of an editor shows
// it: task/usageRows.
type TaskUsageRowsParams struct {
	TaskUsageParams

	// Model is the name of the task's model; empty where it is not known.
	Model string `json:"model,omitzero"`
}

// TaskUsageRowsResult is what the panel shows of one task, but for its title,
// which only the host knows. Empty texts are not shown.
type TaskUsageRowsResult struct {
	// Shadow says what is shown while the user only watches.
	Shadow string `json:"shadow,omitzero"`
	// Summary says what was attached and what that saves.
	Summary string `json:"summary"`
	// Details are the model, the mode and the turn.
	Details string `json:"details"`
	// Used says what the model had at hand, and Week what was saved this week.
	Used string `json:"used,omitzero"`
	Week string `json:"week,omitzero"`
	// Costly says why nothing is saved; CostlySetting is the setting to lower.
	Costly        string `json:"costly,omitzero"`
	CostlySetting string `json:"costlySetting,omitzero"`
	// Notes are what the person has to know besides.
	Notes []string `json:"notes,omitzero"`
	// Bars compare the requests: with every tool, as the client sends by itself
	// where that is less, and with Winnow; and where the model's window is known,
	// what is used of it.
	Bars []UsageBar `json:"bars"`
	// Rows add up to the first of Sums; what is left of the window follows, and
	// the window.
	Rows  []UsageRow     `json:"rows"`
	Sums  []UsageSum     `json:"sums"`
	Turns []UsageTurnRow `json:"turns"`
	// LeftOut says what the requests of the last days went without; absent before
	// there was one.
	LeftOut *LeftOutChart `json:"leftOut,omitzero"`
}

// LeftOutChart shows the tokens of the tools that routed requests went without, by
// day and by server.
type LeftOutChart struct {
	// Caption says what is summed up.
	Caption string `json:"caption"`
	// Days are the bars, the latest day first, and Servers the rows of the table
	// below them: their colours are those of the segments.
	Days    []UsageBar `json:"days"`
	Servers []UsageRow `json:"servers"`
	Sum     UsageSum   `json:"sum"`
}

// UsageBar is a bar, whose segments lie side by side.
type UsageBar struct {
	Label string `json:"label"`
	// Size says how long it is: tokens, or how much of the window.
	Size string `json:"size"`
	// Accessibility is what a screen reader says: all that the eye sees.
	Accessibility string         `json:"accessibility"`
	Segments      []UsageSegment `json:"segments"`
}

// UsageSegment is a part of a bar.
type UsageSegment struct {
	// Title names the section, with its tokens.
	Title string `json:"title"`
	// Start and Length are in parts of 1 of the longest bar.
	Start  float64 `json:"start"`
	Length float64 `json:"length"`
	// Color is one of six, from 0; the same section has the same in each bar and
	// in its row.
	Color int `json:"color"`
}

// UsageRow is a row of the table of a request's parts.
type UsageRow struct {
	// ID is unique in the table, and stable.
	ID   string `json:"id"`
	Name string `json:"name"`
	// FullName is the whole name, where Name is a part of it.
	FullName string `json:"fullName,omitzero"`
	Tokens   string `json:"tokens"`
	Share    string `json:"share"`
	// Level is 0 for a section, 1 for a part of it, 2 for a part of that.
	Level int `json:"level"`
	// Color is that of a section's segment.
	Color    *int       `json:"color,omitzero"`
	Children []UsageRow `json:"children,omitzero"`
}

// UsageSum is a row below the table.
type UsageSum struct {
	Name   string `json:"name"`
	Tokens string `json:"tokens"`
}

// UsageTurnRow is a turn in the history of what was attached.
type UsageTurnRow struct {
	Turn int `json:"turn"`
	// Added counts the tools that it attached, and Tokens is what these cost; Sum
	// is the cost of all that were attached up to it.
	Added  string `json:"added"`
	Tokens string `json:"tokens"`
	Sum    string `json:"sum"`
	// Start and Length are the tokens in parts of 1.
	Start  float64 `json:"start"`
	Length float64 `json:"length"`
}

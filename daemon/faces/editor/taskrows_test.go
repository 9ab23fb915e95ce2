package editor_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/protocol"
)

// What the rows of tasks share.
var (
	ref     = protocol.ToolRef{Server: "notes", Tool: "read"}
	model   = protocol.ModelLimits{MaxTools: 64, ContextTokens: 128_000, NativeTools: 12}
	choices = protocol.TaskChoices{Pinned: []protocol.ToolRef{ref}, Disabled: []protocol.ToolRef{{Server: "mail", Tool: "send"}}}
	state   = protocol.TaskState{Version: 1, Task: "task-1", Source: "host", Turn: 2, Tools: []protocol.AttachedTool{}, Called: []protocol.ToolRef{ref}, Message: "read a note", Earlier: []string{}}

	attached = protocol.Attachment{
		Task: "task-1", Generation: 5, Mode: protocol.AttachDynamic, Turn: 2, Ranker: "keyword", State: &state,
		Tools: []protocol.AttachedTool{{
			Name: "notes_read", Server: "notes", Tool: "read", Description: "Reads a note.", InputSchema: json.RawMessage(`{"type":"object"}`),
			Tokens: 30, Turn: 1, Reason: protocol.ReasonRanked, Score: 1.5,
		}},
		MetaTools: []protocol.MetaTool{{Name: "mcp_load", Description: "Loads.", InputSchema: json.RawMessage(`{"type":"object"}`)}},
		Counts:    protocol.AttachedCounts{Scoped: 9, Attached: 1},
		Tokens:    protocol.AttachedTokens{All: 270, Attached: 30, Saved: 240},
	}
	taskList = protocol.TaskListResult{
		Tasks: []protocol.TaskSummary{{Task: "task-1", Source: "host", Turn: 2, Counts: attached.Counts, Tokens: attached.Tokens, Routing: protocol.AttachDynamic}},
		Week:  protocol.WeekSavings{Monday: "2026-01-05", Tasks: 1, Requests: 2, Saved: 240},
	}
	sections  = []protocol.UsageSection{{Name: "Messages", Tokens: 400, Children: []protocol.UsageSection{{Name: "user", Tokens: 400}}}}
	usage     = protocol.TaskUsageResult{Total: 430, Sections: append(slices.Clip(sections), protocol.UsageSection{Name: "MCP tools", Tokens: 30}), Unrouted: 670, Client: 670, ContextTokens: 128_000, Turns: []protocol.UsageTurn{{Turn: 1, Added: 1, Tokens: 30}}}
	explained = protocol.TaskExplainResult{Ranker: "keyword", Tools: []protocol.ExplainedTool{{
		Server: "notes", Tool: "read", Name: "notes_read", Attached: true, Turn: 1, Reason: protocol.ReasonRanked, Rank: 1, Score: 1.5,
		Parts: []protocol.ScorePart{{Name: "name", Value: 1.5, Detail: "read"}}, Sentence: "Its name has read.", Verdict: "Attached.", Tokens: 30,
	}}}

	taskGet  = ask{"Tasks.Get", args("task-1"), nil}
	taskLook = ask{"Inspector.Look", args("task-1"), nil}
)

func taskRows() []row {
	source, mode := "host", "review"
	open := protocol.TaskOpenParams{Message: "read a note", Source: "host", Mode: "review", Model: model, Choices: choices, State: &state, WantState: true}
	turn := protocol.TaskTurnParams{Task: "task-1", Message: "and another", Source: &source, Mode: &mode, Model: &model, Choices: &choices, WantState: true}
	compact := protocol.TaskCompactParams{Task: "task-1", Message: "and another", WantState: true}
	resume := protocol.TaskResumeParams{State: state, WantState: true}
	return []row{
		{protocol.MethodTaskOpen, open, []ask{{"Turns.Open", args(&open), attached}}, attached},
		{protocol.MethodTaskTurn, turn, []ask{taskGet, {"Turns.Turn", args("task-1", &turn), attached}}, attached},
		{protocol.MethodTaskCompact, compact, []ask{taskGet, {"Turns.Compact", args("task-1", &compact), attached}}, attached},
		{protocol.MethodTaskResume, resume, []ask{{"Turns.Resume", args(&resume), attached}}, attached},
		{protocol.MethodTaskClose, protocol.TaskParams{Task: "task-1"}, []ask{{"Turns.Close", args("task-1"), nil}}, none},
		{protocol.MethodTaskList, none, []ask{{"Inspector.List", nil, taskList}}, taskList},
		{protocol.MethodTaskRows, none, []ask{{"Inspector.List", nil, taskList}}, display.Tasks(&taskList)},
		{protocol.MethodTaskPast, none, []ask{{"Inspector.Past", nil, taskList}}, display.Tasks(&taskList)},
	}
}

func inspectorRows() []row {
	all := &protocol.TaskExplainParams{Task: "task-1"}
	explain := protocol.TaskExplainParams{Task: "task-1", Tool: "notes_read"}
	why := protocol.TaskWhyParams{Task: "task-1", Filter: "read", Open: []protocol.ToolRef{ref}}
	try := protocol.TaskWhyParams{Task: "task-1", Message: "read a note", Source: "host"}
	used := protocol.TaskUsageParams{Task: "task-1", Sections: sections}
	panel := protocol.TaskUsageRowsParams{TaskUsageParams: used, Model: "model-1"}
	whyTool := protocol.TaskReportParams{Task: "task-1", About: protocol.ReportWhy, Tool: "notes_read", Sections: sections}
	report := func(texts ...string) protocol.Report { return protocol.Report{Markdown: strings.Join(texts, "")} }
	return []row{
		{protocol.MethodTaskExplain, explain, []ask{taskLook, {"Inspector.Explain", args("task-1", &explain), explained}}, explained},
		{protocol.MethodTaskTools, protocol.TaskParams{Task: "task-1"}, []ask{taskLook, {"Inspector.Explain", args("task-1", all), explained}},
			protocol.TaskToolsResult{Rows: display.TaskTools(explained.Tools)}},
		{protocol.MethodTaskWhy, why, []ask{
			taskLook, {"Inspector.Explain", args("task-1", all), explained}, {"Catalog.List", args(&protocol.CatalogListParams{Source: "host", WithOwn: true}), catalog},
		}, display.Why(&why, &explained, &catalog)},
		{protocol.MethodTaskWhy, try, []ask{
			{"Inspector.Try", args(&try), nil}, {"Inspector.Explain", args("", all), explained}, {"Catalog.List", args(&protocol.CatalogListParams{Source: "host", WithOwn: true}), catalog},
		}, display.Why(&try, &explained, &catalog)},
		{protocol.MethodTaskUsage, used, []ask{taskLook, {"Inspector.Usage", args("task-1", &used), usage}}, usage},
		{protocol.MethodTaskUsageRows, panel, []ask{
			taskLook, {"Inspector.Usage", args("task-1", &used), usage}, {"Inspector.List", nil, taskList},
			{"Catalog.List", args(&protocol.CatalogListParams{Source: "host", WithOwn: true}), catalog},
		}, display.Usage(&panel, &usage, &taskList, catalog.Tools)},
		{protocol.MethodTaskReport, whyTool, []ask{taskLook, {"Inspector.Explain", args("task-1", &explain), explained}}, report(display.WhyToolReport(&explained.Tools[0]))},
		{protocol.MethodTaskReport, protocol.TaskReportParams{Task: "task-1", About: protocol.ReportWhy},
			[]ask{taskLook, {"Inspector.Explain", args("task-1", all), explained}}, report(display.WhyReport(&explained))},
		{protocol.MethodTaskReport, protocol.TaskReportParams{Task: "task-1", About: protocol.ReportUsage, Sections: sections}, []ask{
			taskLook, {"Inspector.Usage", args("task-1", &used), usage}, {"Inspector.List", nil, taskList},
		}, report(display.UsageReport(&usage, &taskList.Tasks[0]))},
	}
}

func callRows() []row {
	arguments := json.RawMessage(`{"id":7}`)
	load := protocol.TaskLoadParams{Task: "task-1", Query: "notes", Names: []string{"notes_read"}, Limit: 3, WantState: true}
	loaded := protocol.TaskLoadResult{Loaded: []protocol.LoadedTool{{Name: "notes_read", Server: "notes", Tool: "read"}}, Text: "Loaded notes_read.", Attachment: attached}
	told := loaded
	told.Report = display.LoadReport(&loaded, load.Query)
	search := protocol.TaskSearchParams{Task: "task-1", Query: "notes", Limit: 3}
	found := protocol.TaskSearchResult{Ranker: "keyword", Compared: 9, Tools: []protocol.TaskSearchTool{{
		FoundTool: protocol.FoundTool{Server: "notes", Tool: "read", Name: "notes_read", Score: 1.5}, Attached: true, Signature: "notes_read(id)",
	}}}
	describe := protocol.TaskDescribeCallParams{Task: "task-1", Name: "notes_read", Arguments: arguments}
	described := protocol.TaskDescribeCallResult{Server: "notes", Tool: "read", Arguments: arguments, Confirm: true}
	asked := described
	asked.Question = display.Question(&described)
	call := protocol.TaskCallParams{Task: "task-1", Name: "notes_read", Arguments: arguments, ProgressToken: "progress-1", WantState: true, Consent: protocol.ConsentOnce}
	called := protocol.TaskCallResult{
		Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"a note"}`)}, StructuredContent: json.RawMessage(`{"note":1}`), Server: "notes", Tool: "read",
		Shaped: &protocol.ShapedResult{Kind: protocol.ShapedText, OmittedChars: 5, Handle: "r1"}, Attachment: &attached,
	}
	return []row{
		{protocol.MethodTaskLoad, load, []ask{taskGet, {"Requests.Load", args("task-1", &load), loaded}}, told},
		{protocol.MethodTaskSearch, search, []ask{taskGet, {"Loads.Search", args("task-1", &search), found}}, found},
		{protocol.MethodTaskDescribeCall, describe, []ask{taskGet, {"Calls.Describe", args("task-1", &describe), described}}, asked},
		{protocol.MethodTaskCall, call, []ask{{"Calls.Task", args(&call), &called}}, called},
	}
}

func conversationRows() []row {
	route := protocol.ConversationRouteParams{ModelName: "Model One",
		ToolsID:      "0f",
		Conversation: "chat-1", Initiator: "github.copilot-chat",
		Messages: []protocol.MessageDigest{
			{Role: "assistant", Digest: "d1", Calls: []protocol.MessageCall{{ID: "call-1", Name: "notes_read"}}},
			{Role: "assistant", Parts: []protocol.MessagePart{
				{Kind: protocol.PartText, Text: "So."}, {Kind: protocol.PartCall, CallID: "call-2", Name: "notes_read", Input: json.RawMessage(`{"id":1}`)},
				{Kind: protocol.PartResult, CallID: "call-2", Content: []protocol.MessagePart{{Kind: protocol.PartData, MimeType: "image/png", Sha256: "ab", Length: 3}}},
			}},
		},
		Message: "read a note", Called: []string{"notes_read"}, Source: "host", Tools: json.RawMessage(`[{"name":"notes_read"}]`), AllListed: true, Mode: "review", Agent: "reviewer", Model: model,
		Client: &protocol.ClientTools{Visible: []string{"notes_read"}, Tokens: 30}, ToolsFirst: true, WantState: true,
	}
	routed := protocol.ConversationRouteResult{
		Task: "task-1", Request: 3, Title: "A note", NewTurn: true, Compacted: true, Attachment: attached,
		Internal: []protocol.InternalRounds{{ID: 1, Message: 2, Rounds: []protocol.InternalRound{{
			Parts: []json.RawMessage{json.RawMessage(`{"any":1}`)}, Answers: []protocol.CallAnswer{{Call: "call-1", Text: "Loaded."}},
		}}}},
		Pass: true, Open: []string{"activate_notes"}, Keep: []int{0}, Sections: []protocol.UsageSection{{Name: "Conversation", Tokens: 9}},
		Edits: []protocol.MessageEdit{
			{
				Message: 1, Before: []protocol.EditMessage{{Role: "assistant", Parts: []json.RawMessage{json.RawMessage(`{"any":1}`)}}},
				Parts: []protocol.EditPart{{Keep: 1}, {Part: json.RawMessage(`{"any":2}`)}},
				After: []protocol.EditMessage{{Role: "user", Parts: []json.RawMessage{json.RawMessage(`{"any":3}`)}}},
			},
			{Message: 2, Drop: true},
		},
	}
	call := protocol.ConversationCallParams{Task: "task-1", Name: "mcp_load", Arguments: json.RawMessage(`{"query":"notes"}`)}
	called := protocol.TaskCallResult{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"Loaded."}`)}, IsError: true}
	answer := protocol.ConversationAnswerParams{
		Task: "task-1", Request: 3, Parts: []protocol.AnswerPart{{Call: "call-1", Part: json.RawMessage(`{"any":1}`)}},
		Calls: []string{"call-1"}, Answers: []protocol.CallAnswer{{Call: "call-1", Text: "Loaded."}},
	}
	next := protocol.ConversationAnswerResult{Next: protocol.NextSend}
	begin := protocol.ChatBeginParams{
		Prompt: "read a note", Folders: []string{"/w"}, ContextTokens: 9000,
		Attached: []protocol.ChatAttachment{{Name: "a.md", Text: "A"}, {Name: "b.png", Picture: true}, {Name: "c", Problem: "it is gone"}},
		Past: []protocol.ChatTurn{{Prompt: "hello", Answer: "hi", Record: &protocol.ChatRecord{
			Messages: []protocol.MessageDigest{{Role: "user", Parts: []protocol.MessagePart{{Kind: protocol.PartText, Text: "hello"}}}}, Dropped: 1,
		}}},
	}
	keep := protocol.ChatKeepParams{Messages: route.Messages[1:], Ending: protocol.ChatCancelled, Interrupted: "call-2"}
	return []row{
		{protocol.MethodConversationRoute, route, []ask{{"Requests.Route", args(&route), routed}}, routed},
		{protocol.MethodConversationCall, call, []ask{{"Requests.Call", args(&call), called}}, called},
		{protocol.MethodConversationAnswer, answer, []ask{{"Requests.Answer", args(&answer), next}}, next},
		{protocol.MethodChatBegin, begin, nil, chats.BeginTurn(&begin)},
		{protocol.MethodChatKeep, keep, nil, chats.KeepTurn(&keep)},
	}
}

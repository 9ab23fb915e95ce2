package editor_test

import (
	"encoding/json"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/faces/editor"
	"github.com/winnow-mcp/winnow/protocol"
)

// row says what a request is to the engine and to the host.
type row struct {
	method string
	// params are sent. In the rows of a method each of its members has a value.
	params any
	// asks are what reaches the engine, in this order, with what it answers.
	asks []ask
	// result is what the host is answered; nil for a notification.
	result any
}

// rows has the requests of the method table that reach the engine, or the
// session's own log.
func rows() []row {
	var all []row
	for _, some := range [][]row{
		sessionRows(), catalogRows(), serverRows(), editRows(), lockRows(), importRows(), taskRows(), inspectorRows(), callRows(), conversationRows(),
	} {
		all = append(all, some...)
	}
	return all
}

// args are the arguments of an ask.
func args(all ...any) []any { return all }

// Values that many rows share.
var (
	none    = protocol.Empty{}
	edited  = protocol.EditResult{File: "/w/.vscode/winnow.json", Changed: true, Edit: "edit-1"}
	tool    = protocol.ToolInfo{Server: "notes", Tool: "read", Name: "notes_read", Description: "Reads a note.", Tokens: 30, InScope: true}
	server  = protocol.ServerInfo{Name: "notes", State: protocol.ServerReady, Tools: 1, Tokens: 30, InScope: 1, ScopeTokens: 30, Content: "c0ffee"}
	catalog = protocol.CatalogListResult{Version: 3, Servers: []protocol.ServerInfo{server}, Tools: []protocol.ToolInfo{tool}}
	hosts   = protocol.CatalogListResult{Version: 4, Servers: []protocol.ServerInfo{{Name: "editor", Source: "host", State: protocol.ServerHost}}}
	before  = `{"servers":{}}`
	change  = protocol.FileChange{URI: "file:///w/.vscode/winnow.json", Before: &before, After: &before}
)

func sessionRows() []row {
	settings := protocol.DidChangeSettingsParams{Settings: json.RawMessage(`{"maxTools":7}`), WorkspaceSettings: json.RawMessage(`{"initialK":7}`), WorkspaceSettingsFile: "/w/.vscode/settings.json"}
	folders := protocol.DidChangeFoldersParams{WorkspaceFolders: []protocol.WorkspaceFolder{{URI: "file:///w", Name: "w"}}}
	info := protocol.GatewayInfoResult{URL: "http://127.0.0.1:1/mcp", Token: "secret", Label: "w", Snippets: []protocol.GatewaySnippet{
		{Client: "Claude Code", By: protocol.ByProcess, File: ".mcp.json", Text: "{}", Path: "winnowd", Language: "json"},
	}}
	told := info
	told.Snippets = append([]protocol.GatewaySnippet(nil), info.Snippets...)
	display.Snippets(told.Snippets)
	version, err := editor.VersionOf(catalog.Tools)
	if err != nil {
		panic(err) // tools can be encoded
	}
	told.Version = version
	return []row{
		{protocol.MethodDidChangeSettings, settings, []ask{{"Engine.ChangeSettings", args(&settings), nil}}, nil},
		{protocol.MethodDidChangeFolders, folders, []ask{{"Engine.ChangeFolders", args(&folders), nil}, {"Gateway.FollowFolders", nil, nil}}, nil},
		{protocol.MethodDidGrantTrust, none, []ask{{"Engine.GrantTrust", nil, nil}}, nil},
		{protocol.MethodSetLogLevel, protocol.SetLogLevelParams{Level: protocol.LogDebug}, nil, none},
		{protocol.MethodSavingsReset, none, []ask{{"Savings.Clear", nil, nil}}, none},
		{protocol.MethodLearnedClear, none, []ask{{"Engine.ClearLearned", nil, nil}}, none},
		{protocol.MethodGatewayInfo, none, []ask{{"Gateway.Info", nil, info}, {"Catalog.List", args(&protocol.CatalogListParams{}), catalog}}, told},
	}
}

func catalogRows() []row {
	list := protocol.CatalogListParams{Source: "host", Mode: "review", Server: "notes", ServersOnly: true, WithOwn: true, Memory: true}
	shown := protocol.CatalogRowsParams{Source: "host", HostServers: []string{"editor"}, Filter: "read", Sort: protocol.SortByCost, Memory: true}
	own := protocol.CatalogRowsParams{Sort: protocol.SortByName}
	tools := protocol.ToolRowsParams{Source: "host", Server: "notes", Tool: "read", Sort: protocol.SortByCost}
	status := protocol.StatusParams{Source: "host", HostServers: []string{"editor"}, Models: []string{"model-1"}, Rest: 9000, Restricted: true}
	settings := protocol.Settings{SearchTurns: 5, Shadow: true}
	modes := protocol.ModeListResult{Modes: []protocol.ModeInfo{{Slug: "review", Name: "Review", File: "/w/winnow.json"}}, Current: "review"}
	search := protocol.CatalogSearchParams{Query: "read a note", Limit: 3, Source: "host", Mode: "review", Explain: true}
	found := protocol.CatalogSearchResult{Version: 3, Ranker: "keyword", Tools: []protocol.FoundTool{
		{Server: "notes", Tool: "read", Name: "notes_read", Score: 1.5, Why: []protocol.ScorePart{{Name: "name", Value: 1, Detail: "read"}}},
	}}
	handed := protocol.SetHostToolsParams{Source: "host", WithOwn: true, Listing: &protocol.Listing{Servers: []string{"Notes"}}, Tools: []protocol.HostTool{{
		Server: "editor", Name: "open_file", Tool: "open", Description: "Opens a file.",
		InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: json.RawMessage(`{"readOnlyHint":true}`),
		Tags: []string{"mcp"}, FullReferenceName: "editor/open_file",
	}}}
	taken := protocol.SetHostToolsResult{Version: 4, Count: 1, Warnings: []string{"one is odd"}}
	return []row{
		{protocol.MethodCatalogList, list, []ask{{"Catalog.List", args(&list), catalog}}, catalog},
		{protocol.MethodCatalogRows, shown, []ask{
			{"Catalog.List", args(&protocol.CatalogListParams{Memory: true}), catalog},
			{"Catalog.List", args(&protocol.CatalogListParams{Source: "host", Memory: true}), hosts},
		}, display.Catalog(&shown, nil, catalog, hosts)},
		{protocol.MethodCatalogRows, own, []ask{{"Catalog.List", args(&protocol.CatalogListParams{ServersOnly: true}), catalog}}, display.Catalog(&own, nil, catalog)},
		{protocol.MethodStatusShow, status, []ask{
			{"Catalog.List", args(&protocol.CatalogListParams{ServersOnly: true}), catalog},
			{"Catalog.List", args(&protocol.CatalogListParams{Source: "host", ServersOnly: true}), hosts},
			{"Inspector.List", nil, taskList},
			{"Settings.Load", nil, settings},
			{"Modes.List", nil, modes},
		}, display.Status(&display.State{
			Shadow: true, Modes: modes, Tasks: taskList, Models: status.Models, Rest: status.Rest, Restricted: true,
			Catalog: display.Catalog(&protocol.CatalogRowsParams{Source: "host", HostServers: status.HostServers}, nil, catalog, hosts),
		})},
		{protocol.MethodToolRows, tools, []ask{{"Catalog.List", args(&protocol.CatalogListParams{Source: "host", Server: "notes"}), catalog}}, display.Tools(&tools, catalog)},
		{protocol.MethodSetHostTools, handed, []ask{{"HostTools.Set", args(&handed), taken}}, taken},
		{protocol.MethodCatalogSearch, search, []ask{{"Catalog.Search", args(&search), found}}, found},
	}
}

func serverRows() []row {
	consent := protocol.ServerConsentParams{File: "/w/winnow.json", Server: "notes", Hash: "h", Allow: true}
	prompt := protocol.ConsentPromptParams{Asked: []string{"another"}, Server: "notes", File: "/w/winnow.json"}
	questions := []protocol.ConsentQuestion{{Server: "notes", File: "/w/winnow.json", Line: 3, Hash: "h", Starts: "notes-server", Parts: []protocol.ConsentPart{{Key: "command", Text: "notes-server"}}}}
	short := func(string) string { return "winnow.json" }
	wait := protocol.ServerWaitParams{Name: "notes", TimeoutMs: 500}
	failed := protocol.ServerWaitResult{Servers: []protocol.ServerInfo{{Name: "notes", State: protocol.ServerFailed, Error: "it ended"}}, Starting: []string{"mail"}}
	told := failed
	told.Unusable = display.Unusable(failed.Servers)
	notes := protocol.ServerParams{Name: "notes"}
	return []row{
		{protocol.MethodServerRestart, notes, []ask{{"Upstream.Restart", args("notes"), nil}}, none},
		{protocol.MethodServerStop, notes, []ask{{"Upstream.Stop", args("notes"), nil}}, none},
		{protocol.MethodServerSignIn, notes, []ask{{"Upstream.SignIn", args("notes"), nil}}, none},
		{protocol.MethodServerLog, notes, []ask{{"Upstream.Log", args("notes"), "it has started\n"}}, protocol.ServerLogResult{Text: "it has started\n"}},
		{protocol.MethodServerConsent, consent, []ask{{"Engine.Consent", args(&consent), nil}}, none},
		{protocol.MethodServerConsentPrompt, prompt, []ask{
			{"Workspace.Questions", nil, questions},
			{"Workspace.NameOf", args("/w/winnow.json"), "winnow.json"},
		}, display.Consent(&prompt, questions, short)},
		{protocol.MethodServerWait, wait, []ask{{"Engine.AwaitServers", args(&wait), failed}}, told},
	}
}

func editRows() []row {
	approve := protocol.ToolApproveParams{Server: "notes", Tool: "read", Approved: true}
	modes := protocol.ModeListResult{Modes: []protocol.ModeInfo{{Slug: "review", Name: "Review", File: "/w/winnow.json"}}, Current: "review"}
	told := modes
	told.Report = display.ModesReport(&modes)
	return []row{
		{protocol.MethodServerSetEnabled, protocol.ServerSetEnabledParams{Name: "notes", Enabled: true},
			[]ask{{"Edits.SetServerEnabled", args("notes", true), edited}}, edited},
		{protocol.MethodToolSetEnabled, protocol.ToolSetEnabledParams{Server: "notes", Tool: "read", Enabled: true},
			[]ask{{"Edits.SetToolEnabled", args("notes", "read", true), edited}}, edited},
		{protocol.MethodToolApprove, approve, []ask{{"Engine.SetApproved", args(&approve), edited}}, edited},
		{protocol.MethodToolSetAlwaysLoad, protocol.ToolSetAlwaysLoadParams{Server: "notes", Tool: "read", AlwaysLoad: true},
			[]ask{{"Edits.SetAlwaysLoad", args("notes", "read", true), edited}}, edited},
		{protocol.MethodToolSetDescription, protocol.ToolSetDescriptionParams{Server: "notes", Tool: "read", Description: "Reads a note aloud."},
			[]ask{{"Edits.SetDescription", args("notes", "read", "Reads a note aloud."), edited}}, edited},
		{protocol.MethodModeSetServerBlocked, protocol.ModeSetServerBlockedParams{Mode: "review", Server: "notes", Blocked: true},
			[]ask{{"Edits.ModeServer", args("review", "notes", true), edited}}, edited},
		{protocol.MethodEditUndo, protocol.EditUndoParams{Edit: "edit-1"}, []ask{{"Edits.Undo", args("edit-1"), edited}}, edited},
		{protocol.MethodModeList, none, []ask{{"Modes.List", nil, modes}}, told},
		{protocol.MethodModeSet, protocol.ModeSetParams{Mode: "review"}, []ask{{"Modes.Set", args("review"), nil}}, none},
	}
}

func lockRows() []row {
	ref := protocol.LockRef{Source: "host", Server: "notes", Kind: protocol.LockTool, Name: "read"}
	list := protocol.LockListResult{Mode: protocol.LockEnforce, Changes: []protocol.LockChange{{LockRef: ref, State: protocol.LockChanged, Held: true, Content: "c0ffee"}}}
	shown := protocol.LockRowsParams{Source: "host", Server: "notes", Tool: "read", Told: []string{"another"}}
	content := func(string, string) (string, error) { return "c0ffee", nil }
	rows, err := display.Changes(&shown, list.Changes, content)
	if err != nil {
		panic(err) // content has none
	}
	diff := protocol.LockDiffResult{Before: "Reads a note.", After: "Reads a note and sends it."}
	decide := protocol.LockDecideParams{Source: "host", Server: "notes", Kind: protocol.LockTool, Name: "read", Content: "c0ffee"}
	decided := protocol.LockDecideResult{Count: 1, Tools: 1, Undo: "undo-1"}
	approved, kept := decided, decided
	approved.Text, kept.Text = display.Approved(&decide, decided), display.Kept(&decide)
	undo := protocol.LockUndoParams{Undo: "undo-1"}
	approval := protocol.Approval{ID: "a1", Kind: protocol.ApprovalAlwaysAllow, Server: "notes", Tool: "read", Since: 1}
	revoke := protocol.ApprovalRevokeParams{ID: "a1"}
	journal := protocol.JournalListParams{Server: "notes", Limit: 10}
	entries := protocol.JournalListResult{Truncated: true, Entries: []protocol.JournalEntry{
		{Time: "2026-01-02T03:04:05Z", Title: "notes_read", Outcome: "ok", Details: "12 ms", Record: json.RawMessage(`{"kind":"call"}`)},
	}}
	return []row{
		{protocol.MethodLockList, none, []ask{{"Locks.List", nil, list}}, list},
		{protocol.MethodLockRows, shown, []ask{
			{"Locks.List", nil, list},
			{"Catalog.List", args(&protocol.CatalogListParams{Source: "host", Server: "notes", ServersOnly: true}), catalog},
		}, rows},
		{protocol.MethodLockDiff, ref, []ask{{"Locks.Diff", args(&ref), diff}}, diff},
		{protocol.MethodLockApprove, decide, []ask{{"Engine.ApproveLocked", args(&decide), decided}}, approved},
		{protocol.MethodLockKeep, decide, []ask{{"Engine.KeepLocked", args(&decide), decided}}, kept},
		{protocol.MethodLockUndo, undo, []ask{{"Engine.UndoLocked", args(&undo), decided}}, decided},
		{protocol.MethodApprovalList, none, []ask{{"Approvals.List", nil, []protocol.Approval{approval}}}, display.Approvals([]protocol.Approval{approval})},
		{protocol.MethodApprovalRevoke, revoke, []ask{{"Approvals.Revoke", args(&revoke), approval}}, none},
		{protocol.MethodJournalList, journal, []ask{{"Record.List", args(&journal), entries}}, entries},
	}
}

func importRows() []row {
	plan := protocol.ImportPlanParams{Source: "file:///home/.cursor/mcp.json", Target: "file:///home/winnow.json", Servers: []string{"notes"}}
	notes := []protocol.ImportNote{{Kind: protocol.NoteTaken, Server: "notes", Path: "/home/winnow.json"}}
	name := func(string) string { return "~/winnow.json" }
	named := ask{"Workspace.NameOf", args("/home/winnow.json"), "~/winnow.json"}
	planned := protocol.ImportPlanResult{Servers: []string{"notes"}, Changes: []protocol.FileChange{change}, Notes: notes}
	told := planned
	told.Words = display.ImportNotes(notes, name)
	apply := protocol.ImportApplyParams{Plan: plan, Changes: []protocol.FileChange{change}, Settings: []protocol.ImportSetting{{Name: "chat.mcp.access", Before: "all", After: "none"}}}
	planUndo := protocol.ImportPlanUndoParams{Import: "import-1"}
	back := protocol.ImportPlanUndoResult{Changes: []protocol.FileChange{change}, Notes: notes}
	toldBack := back
	toldBack.Words = told.Words
	undo := protocol.ImportUndoParams{Import: "import-1", Changes: []protocol.FileChange{change}}
	history := protocol.ImportHistoryResult{
		Imports: []protocol.ImportRecord{{Import: "import-1", Client: "Cursor", Source: plan.Source, Target: plan.Target, Servers: plan.Servers}},
		Broken:  []protocol.BrokenImport{{Folder: "/home/imports/2", Reason: "it is empty"}},
	}
	files := func() protocol.ImportListResult {
		return protocol.ImportListResult{Files: []protocol.ImportFile{{
			Client: "Cursor", URI: plan.Source, Target: plan.Target, Servers: []protocol.ImportServer{{Name: "notes", State: protocol.ImportTaken}},
		}}}
	}
	listed := files()
	display.ImportServers(listed.Files)
	return []row{
		{protocol.MethodImportList, none, []ask{{"Imports.List", nil, files()}}, listed},
		{protocol.MethodImportPlan, plan, []ask{{"Imports.Plan", args(&plan), planned}, named}, told},
		{protocol.MethodImportApply, apply, []ask{{"Imports.Apply", args(&apply), protocol.ImportApplyResult{Import: "import-1"}}}, protocol.ImportApplyResult{Import: "import-1"}},
		{protocol.MethodImportHistory, none, []ask{{"Imports.History", nil, history}}, history},
		{protocol.MethodImportPlanUndo, planUndo, []ask{{"Imports.PlanUndo", args(&planUndo), back}, named}, toldBack},
		{protocol.MethodImportUndo, undo, []ask{{"Imports.Undo", args(&undo), nil}}, none},
	}
}

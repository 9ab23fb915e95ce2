package daemon_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/tokens"
)

// The window of the tests on real servers: small, so that seven turns do not
// attach everything.
const realInitialK, realSearchK = 6, 4

// TestReal drives one daemon on six real servers. Its parts share the daemon
// and run one after the other; each leaves the settings as it found them.
func TestReal(t *testing.T) {
	t.Parallel()
	o := daemontest.Options{Workspace: t.TempDir(), Storage: t.TempDir()}
	h := npmHost(t, o, map[string]any{"initialK": realInitialK, "searchK": realSearchK, "maxTools": 1000})
	total := len(h.Catalog().Tools)
	if total < 100 {
		t.Fatalf("six real servers have %d tools", total)
	}
	for _, part := range []struct {
		name string
		run  func(t *testing.T, h *daemontest.Host, total int)
	}{
		{"attach", realAttach},
		{"messages", realMessages},
		{"window", realWindow},
		{"off", realOff},
		{"threshold", realThreshold},
		{"load", realLoad},
		{"call", realCall},
		{"progress", realProgress},
		{"cancel", realCancel},
		{"results", realResults},
		{"scope", realScope},
		{"modes", realModes},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, h, total) })
	}
	t.Run("restart", func(t *testing.T) { realRestart(t, h) })
}

// change changes settings for the rest of a test.
func change(t *testing.T, h *daemontest.Host, settings map[string]any) {
	t.Helper()
	apply := func(s map[string]any) {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{Settings: raw})
	}
	apply(settings)
	t.Cleanup(func() {
		defaults := map[string]any{}
		for name := range settings {
			defaults[name] = nil
		}
		for name, value := range map[string]any{"initialK": realInitialK, "searchK": realSearchK, "maxTools": 1000} {
			if _, ok := defaults[name]; ok {
				defaults[name] = value
			}
		}
		apply(defaults)
	})
}

func realAttach(t *testing.T, h *daemontest.Host, total int) {
	a := open(h, "navigate the browser to a page and take a screenshot")
	if a.Mode != protocol.AttachDynamic || a.Turn != 1 || a.Frozen || a.Ranker == "" {
		t.Errorf("attachment %s, turn %d, frozen %t, ranker %q", a.Mode, a.Turn, a.Frozen, a.Ranker)
	}
	if a.Counts != (protocol.AttachedCounts{Scoped: total, Attached: realInitialK, Named: a.Counts.Named}) || len(a.Tools) != realInitialK {
		t.Errorf("%d tools, counts %+v", len(a.Tools), a.Counts)
	}
	if want := protocol.DefaultSettings().Named; a.Counts.Named != want {
		t.Errorf("%d tools are only named, want %d", a.Counts.Named, want)
	}
	if !slices.ContainsFunc(names(a), func(n string) bool { return strings.Contains(n, "screenshot") }) {
		t.Errorf("no screenshot among %v", names(a))
	}
	if !slices.IsSorted(names(a)) {
		t.Errorf("a batch is not in the order of names: %v", names(a))
	}
	if len(a.MetaTools) != 1 || a.MetaTools[0].Name != router.LoadName {
		t.Errorf("meta tools %+v", a.MetaTools)
	}
	checkTokens(t, h, a)
}

// realMessages routes what people type, to tools that they would expect, and
// asks why.
func realMessages(t *testing.T, h *daemontest.Host, _ int) {
	for message, want := range map[string][]string{
		"stick the todo list into a file":      {"write_file"},
		"take a screenshot of a page":          {"take_screenshot", "browser_take_screenshot"},
		"read the notes folder":                {"list_directory"},
		"read the note about the garden":       {"read_file", "read_text_file"},
		"remember that Ada likes tea":          {"add_observations", "create_entities"},
		"what do you know about Ada?":          {"search_nodes", "open_nodes", "read_graph"},
		"add 4 and 5":                          {"get-sum"},
		"why is this page so slow?":            {"performance_start_trace"},
		"fill in the form and send it":         {"fill_form", "browser_fill_form"},
		"what went wrong in the console?":      {"list_console_messages", "browser_console_messages"},
		"rename garden.md to plants.md":        {"move_file"},
		"get rid of the cookies of that site":  {"browser_cookie_clear"},
		"think it through before you answer":   {"sequentialthinking"},
		"where am i allowed to read and write": {"list_allowed_directories"},
	} {
		a := open(h, message)
		i := slices.IndexFunc(a.Tools, func(tool protocol.AttachedTool) bool { return slices.Contains(want, tool.Tool) })
		if i < 0 {
			t.Errorf("%q attaches %v, want one of %v", message, names(a), want)
			continue
		}
		why := daemontest.Call[protocol.TaskExplainResult](h, protocol.MethodTaskExplain,
			protocol.TaskExplainParams{Task: a.Task, Tool: a.Tools[i].Name}).Tools[0].Why
		if !strings.HasSuffix(why, ".") || len(strings.Fields(why)) < 4 {
			t.Errorf("%q: why %s is no sentence: %q", message, a.Tools[i].Name, why)
		}
	}
}

// checkTokens counts again what the daemon says of tokens.
func checkTokens(t *testing.T, h *daemontest.Host, a protocol.Attachment) {
	t.Helper()
	counter := tokens.New()
	sum, meta, all := 0, 0, 0
	for _, tool := range a.Tools {
		n := counter.Count(string(router.PresentedJSON(tool.Name, tool.Description, tool.InputSchema)))
		if n != tool.Tokens {
			t.Errorf("%s costs %d tokens, the daemon says %d", tool.Name, n, tool.Tokens)
		}
		sum += n
	}
	for _, m := range a.MetaTools {
		meta += counter.Count(string(router.PresentedJSON(m.Name, m.Description, m.InputSchema)))
	}
	sum += meta
	for _, tool := range h.Catalog().Tools {
		if tool.InScope {
			all += tool.Tokens
		}
	}
	if want := (protocol.AttachedTokens{All: all, Attached: sum, Meta: meta, Saved: all - sum, Client: all, ClientSaved: all - sum}); a.Tokens != want {
		t.Errorf("tokens %+v, want %+v", a.Tokens, want)
	}
}

// realWindow: seven turns unite, the eighth is frozen, and nothing that was
// attached moves.
func realWindow(t *testing.T, h *daemontest.Host, _ int) {
	messages := []string{
		"read the file notes.txt",
		"remember what it says as entities with observations",
		"take a screenshot of the page",
		"which network requests failed?",
		"set a cookie and reload",
		"start a performance trace",
		"move the file into another directory",
		"drag the element onto the other one",
		"record a video of the page",
	}
	const turns = 7
	a := open(h, messages[0])
	for i, message := range messages[1:] {
		before := a
		a = turn(h, a.Task, message)
		n := i + 2
		if a.Turn != n || a.Frozen != (n > turns) {
			t.Errorf("turn %d is called %d, frozen %t", n, a.Turn, a.Frozen)
		}
		if len(a.Tools) < len(before.Tools) || !bytes.Equal(wire(t, a.Tools[:len(before.Tools)]), wire(t, before.Tools)) {
			t.Errorf("turn %d changed what was attached: %v after %v", n, names(a), names(before))
		}
		switch added := len(a.Tools) - len(before.Tools); {
		case n <= turns && (added < 1 || added > realSearchK):
			t.Errorf("turn %d added %d tools, want 1 to %d", n, added, realSearchK)
		case n > turns && (added != 0 || a.Generation != before.Generation):
			t.Errorf("turn %d added %d tools after the window", n, added)
		}
	}
	loaded := daemontest.Call[protocol.TaskLoadResult](h, protocol.MethodTaskLoad,
		protocol.TaskLoadParams{Task: a.Task, Query: "record a video"})
	if len(loaded.Attachment.Tools) <= len(a.Tools) || !loaded.Attachment.Frozen {
		t.Errorf("mcp_load attached nothing after the window: %s", loaded.Text)
	}
}

// wire is what is sent to a model, byte for byte.
func wire(t *testing.T, tools []protocol.AttachedTool) []byte {
	t.Helper()
	var all []byte
	for _, tool := range tools {
		all = append(all, router.PresentedJSON(tool.Name, tool.Description, tool.InputSchema)...)
		all = append(all, '\n')
	}
	return all
}

// realOff: searchTurns 0 attaches everything and hides nothing.
func realOff(t *testing.T, h *daemontest.Host, total int) {
	change(t, h, map[string]any{"searchTurns": 0, "maxTools": 20})
	a := open(h, "read a file")
	if a.Mode != protocol.AttachAll || len(a.Tools) != total || len(a.MetaTools) != 0 || a.Tokens.Saved != 0 {
		t.Errorf("%s: %d of %d tools, %d meta tools, %d tokens saved", a.Mode, len(a.Tools), total, len(a.MetaTools), a.Tokens.Saved)
	}
	if len(a.Warnings) == 0 {
		t.Error("nothing warns of more tools than maxTools")
	}
	checkTokens(t, h, a)
}

func realThreshold(t *testing.T, h *daemontest.Host, total int) {
	all := open(h, "read a file").Tokens.All
	for _, test := range []struct {
		name     string
		settings map[string]any
		routed   bool
	}{
		{"fewer tools than the threshold", map[string]any{"threshold": total + 1}, false},
		{"as many tools as the threshold", map[string]any{"threshold": total}, false},
		{"one tool more than the threshold", map[string]any{"threshold": total - 1}, true},
		{"as many tokens as the threshold", map[string]any{"threshold": total, "thresholdTokens": all}, false},
		{"one token more than the threshold", map[string]any{"threshold": total, "thresholdTokens": all - 1}, true},
		{"more tools than a request holds", map[string]any{"threshold": total, "maxTools": total - 1}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			change(t, h, test.settings)
			a := open(h, "read a file")
			if got := a.Mode == protocol.AttachDynamic; got != test.routed {
				t.Errorf("%s, %d of %d tools", a.Mode, len(a.Tools), total)
			}
			if !test.routed && (len(a.Tools) != total || len(a.MetaTools) != 0) {
				t.Errorf("%d of %d tools and %d meta tools", len(a.Tools), total, len(a.MetaTools))
			}
		})
	}
}

// realLoad: to load twice is to load once.
func realLoad(t *testing.T, h *daemontest.Host, _ int) {
	a := open(h, "read a file")
	load := func(p protocol.TaskLoadParams) protocol.TaskLoadResult {
		p.Task = a.Task
		return daemontest.Call[protocol.TaskLoadResult](h, protocol.MethodTaskLoad, p)
	}
	first := load(protocol.TaskLoadParams{Query: "start a performance trace", Limit: 2})
	if len(first.Loaded) != 2 || first.Loaded[0].Already || !strings.Contains(first.Text, first.Loaded[0].Name) {
		t.Fatalf("loaded %+v: %s", first.Loaded, first.Text)
	}
	if first.Attachment.Generation <= a.Generation || !bytes.Equal(wire(t, first.Attachment.Tools[:len(a.Tools)]), wire(t, a.Tools)) {
		t.Errorf("the load changed %v to %v", names(a), names(first.Attachment))
	}
	again := load(protocol.TaskLoadParams{Query: "start a performance trace", Limit: 2})
	for i, tool := range again.Loaded {
		if !tool.Already || tool.Name != first.Loaded[i].Name {
			t.Errorf("loaded again: %+v", tool)
		}
	}
	if again.Attachment.Generation != first.Attachment.Generation || !slices.Equal(names(again.Attachment), names(first.Attachment)) {
		t.Errorf("the second load changed %v to %v", names(first.Attachment), names(again.Attachment))
	}
	named := load(protocol.TaskLoadParams{Names: []string{"create_entities", "memory/read_graph", "no_such_tool"}})
	if len(named.Loaded) != 2 || !strings.Contains(named.Text, "no_such_tool") {
		t.Errorf("loaded by name %+v: %s", named.Loaded, named.Text)
	}
	miss := load(protocol.TaskLoadParams{Query: "zzqx wvut"})
	if len(miss.Loaded) != 0 || len(miss.Text) >= 400 || !strings.Contains(miss.Text, "compared") {
		t.Errorf("a query that matches nothing: %+v, %q", miss.Loaded, miss.Text)
	}
}

// realCall runs real tools: attached, called early, and with an error of the
// tool's own.
func realCall(t *testing.T, h *daemontest.Host, _ int) {
	a := open(h, "add two numbers")
	if got := call(h, a.Task, "get-sum", `{"a":19,"b":23}`); !strings.Contains(got, "42") {
		t.Errorf("the sum is %q", got)
	}
	write(t, filepath.Join(h.Options.Workspace, "notes.txt"), "buy milk")
	r := daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall, protocol.TaskCallParams{
		Task: a.Task, Name: "mcp__filesystem__read-text-file",
		Arguments: json.RawMessage(`{"path":` + quote(filepath.Join(h.Options.Workspace, "notes.txt")) + `}`),
	})
	if text(r) != "buy milk" || r.Server != "filesystem" || r.Tool != "read_text_file" {
		t.Errorf("the file holds %q, read by %s/%s", text(r), r.Server, r.Tool)
	}
	missing := daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall, protocol.TaskCallParams{
		Task: a.Task, Name: "read_text_file", Arguments: json.RawMessage(`{"path":"/no/such/file"}`),
	})
	if !missing.IsError {
		t.Errorf("a file that is not there: %s", text(missing))
	}
}

// realResults measures what models read of long results of real servers, and that
// each call by which a cut one offers to read on gives something:
//
//	go test ./daemon -run TestReal/results -v
func realResults(t *testing.T, h *daemontest.Host, _ int) {
	const limit = 2000
	dir := h.Options.Workspace
	rows := make([]map[string]any, 400)
	for i := range rows {
		rows[i] = map[string]any{"name": fmt.Sprint("row ", i), "size": i, "tags": []string{"a", "b"}}
	}
	var log, table strings.Builder
	for i := range 400 {
		fmt.Fprintf(&log, "2026-11-24T08:00:%02dZ level=%s msg=\"request %d answered\"\n", i%60, []string{"info", "warn", "error"}[i%3], i)
		fmt.Fprintf(&table, "%d,name %d,%d\n", i, i, i*i)
		write(t, filepath.Join(dir, "tree", fmt.Sprintf("file-%03d.txt", i)), "x")
	}
	for name, content := range map[string]string{
		"rows.json": string(codec.Marshal(rows)), "server.log": log.String(), "table.csv": table.String(),
		"prose.md": strings.Repeat("The compost is behind the shed, and the beans are sown in May. ", 300),
		"line.txt": strings.Repeat("x", 50_000), "picture.png": strings.Repeat("\x89PNG", 3000), "archive.bin": strings.Repeat("\x89ZIP", 3000),
	} {
		write(t, filepath.Join(dir, name), content)
	}
	file := func(name string) string { return `{"path":` + quote(filepath.Join(dir, name)) + `}` }
	a := open(h, "read files")
	ask := func(name, arguments string) protocol.TaskCallResult {
		return daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall,
			protocol.TaskCallParams{Task: a.Task, Name: name, Arguments: json.RawMessage(arguments)})
	}
	for _, one := range []struct{ kind, tool, arguments string }{
		{"JSON in a file", "read_text_file", file("rows.json")}, {"log", "read_text_file", file("server.log")},
		{"table", "read_text_file", file("table.csv")}, {"prose", "read_text_file", file("prose.md")},
		{"one line", "read_text_file", file("line.txt")}, {"JSON text", "directory_tree", file("tree")},
		{"listing", "list_directory", file("tree")}, {"picture", "read_media_file", file("picture.png")}, {"base64", "read_media_file", file("archive.bin")},
		{"two files", "read_multiple_files", `{"paths":[` + quote(filepath.Join(dir, "prose.md")) + "," + quote(filepath.Join(dir, "table.csv")) + `]}`},
		{"image", "get-tiny-image", `{}`}, {"structured", "get-structured-content", `{"location":"Chicago"}`},
	} {
		change(t, h, map[string]any{"results": map[string]any{"maxChars": 1_000_000}})
		whole := text(ask(one.tool, one.arguments))
		change(t, h, map[string]any{"results": map[string]any{"maxChars": limit}})
		begun := time.Now()
		cut := ask(one.tool, one.arguments)
		took := time.Since(begun)
		shown := text(cut)
		ways := offeredCall.FindAllStringSubmatch(shown, -1)
		for _, way := range ways {
			if more := ask("mcp_result", way[1]); more.IsError || text(more) == "" || text(more) == "[]" {
				t.Errorf("%s: mcp_result(%s) gives %.200s", one.kind, way[1], text(more))
			}
		}
		t.Logf("%-14s %-22s %7d characters, %5d shown, %d ways to read on, %4d ms", one.kind, one.tool, len(whole), len(shown), len(ways), took.Milliseconds())
		if one.kind == "picture" && (cut.Shaped != nil || shown != "" || len(cut.Content) != 1) {
			t.Errorf("a picture does not arrive by itself: %.300s", shown)
		}
		if len(shown) > limit*11/10 || cut.Shaped != nil && len(ways) == 0 {
			t.Errorf("%s: %d characters are shown, %d ways to read on: %.300s", one.kind, len(shown), len(ways), shown)
		}
	}
}

// offeredCall is a call by which a cut result offers to read on.
var offeredCall = regexp.MustCompile(`mcp_result\((\{.*?\})\)`)

func quote(s string) string {
	encoded, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

func realProgress(t *testing.T, h *daemontest.Host, _ int) {
	a := open(h, "run a long operation")
	daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall, protocol.TaskCallParams{
		Task: a.Task, Name: "trigger-long-running-operation", ProgressToken: "long",
		Arguments: json.RawMessage(`{"duration":0.4,"steps":4}`),
	})
	var steps []float64
	started := map[string][]protocol.ProgressKind{}
	for _, p := range told[protocol.ProgressParams](h, protocol.MethodProgress) {
		if p.Token == "long" && p.Value.Percentage != nil {
			steps = append(steps, *p.Value.Percentage)
		}
		if name, ok := strings.CutPrefix(p.Token, "server:"); ok {
			started[name] = append(started[name], p.Value.Kind)
		}
	}
	// The last step may come with the result, and be too late.
	if len(steps) < 3 || !slices.IsSorted(steps) || steps[0] != 25 {
		t.Errorf("the operation reported %v", steps)
	}
	for _, s := range h.Catalog().Servers {
		if !slices.Equal(started[s.Name], []protocol.ProgressKind{protocol.ProgressBegin, protocol.ProgressEnd}) {
			t.Errorf("the start of %s reported %v", s.Name, started[s.Name])
		}
	}
}

// realCancel: a cancelled call ends at once, and the server goes on.
func realCancel(t *testing.T, h *daemontest.Host, _ int) {
	a := open(h, "run a long operation")
	pending := h.Begin(protocol.MethodTaskCall, protocol.TaskCallParams{
		Task: a.Task, Name: "trigger-long-running-operation", ProgressToken: "cancelled",
		Arguments: json.RawMessage(`{"duration":3600,"steps":36000}`),
	})
	h.Until("its progress", func() bool {
		return slices.ContainsFunc(told[protocol.ProgressParams](h, protocol.MethodProgress),
			func(p protocol.ProgressParams) bool { return p.Token == "cancelled" })
	})
	pending.Cancel()
	_, err := pending.Await()
	if code := codeOf(err); code != protocol.CodeRequestCancelled {
		t.Errorf("a cancelled call answered %v", err)
	}
	if got := call(h, a.Task, "echo", `{"message":"still here"}`); !strings.Contains(got, "still here") {
		t.Errorf("the server then answered %q", got)
	}
}

package daemon_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

func raw(t *testing.T, value any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// ruleFiles is a user whose own file has rules for the server notes, and a
// workspace that has one file with rules for it.
type ruleFiles struct {
	users     map[string]any // the user's winnow.json
	file      string         // in the workspace
	rules     string         // what the file says of notes
	agreed    bool
	workspace string
	home      string
	storage   string
}

// write puts the files on disk.
func (f *ruleFiles) write(t *testing.T) {
	t.Helper()
	key := map[bool]string{true: "servers", false: "mcpServers"}[strings.HasSuffix(f.file, "winnow.json")]
	write(t, filepath.Join(f.home, ".config", "winnow", "winnow.json"), string(raw(t, f.users)))
	write(t, filepath.Join(f.workspace, filepath.FromSlash(f.file)), `{"`+key+`":{"notes":`+f.rules+`}}`)
}

// agree writes the files, and agrees to the workspace's in a session of its own.
func (f *ruleFiles) agree(t *testing.T) {
	t.Helper()
	f.write(t)
	if !f.agreed {
		return
	}
	h := daemontest.Run(t, f.options())
	h.Initialize(nil)
	for _, question := range daemontest.Call[protocol.CatalogListResult](h, protocol.MethodCatalogList, protocol.CatalogListParams{ServersOnly: true}).Consents {
		daemontest.Call[protocol.Empty](h, protocol.MethodServerConsent, protocol.ServerConsentParams{
			File: question.File, Server: question.Server, Hash: question.Hash, Allow: true,
		})
	}
	h.Close()
}

func (f *ruleFiles) options() daemontest.Options {
	return daemontest.Options{Workspace: f.workspace, Home: f.home, Storage: f.storage}
}

func (f *ruleFiles) host(t *testing.T, settings map[string]any) *daemontest.Host {
	t.Helper()
	f.agree(t)
	h := daemontest.Run(t, f.options())
	h.Initialize(settings)
	h.UntilReady(servers{"notes": entry{}})
	return h
}

// initialize is what a host would say.
func (f *ruleFiles) initialize(t *testing.T, settings map[string]any) protocol.InitializeParams {
	t.Helper()
	return protocol.InitializeParams{
		ProtocolVersion: protocol.Version, Settings: raw(t, settings), Trusted: true,
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: configtest.FileURI(f.workspace)}},
		StoragePath:      f.storage, UserConfigDir: filepath.Join(f.home, ".config", "winnow"), HomeDir: f.home,
	}
}

// terminal is what `winnowd servers --tools` says is in scope.
func (o *ruled) terminal(t *testing.T) sentTools {
	o.files.agree(t)
	var out bytes.Buffer
	s := daemon.New(daemon.Options{Version: "test", Log: slog.New(slog.DiscardHandler), ShutdownTime: daemontest.ShutdownTime})
	err := s.Servers(t.Context(), daemon.Terminal{
		Initialize: o.files.initialize(t, o.settings), Timeout: time.Minute, Log: slog.New(slog.DiscardHandler), Start: true, JSON: true, Out: &out,
	}, "", true)
	if err != nil {
		t.Fatal(err)
	}
	var listed struct{ Tools []protocol.ToolInfo }
	if err := json.Unmarshal(out.Bytes(), &listed); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	own := sentTools{}
	for _, tool := range listed.Tools {
		switch {
		case !tool.InScope:
		case tool.Override != "":
			own.add(tool.Tool, tool.Override)
		default:
			own.add(tool.Tool, tool.Description)
		}
	}
	return own
}

// TestRules_everyFace: what a workspace's file says about a server of the user's
// own, once for each outcome of the rules, comes to the same for every face:
// whoever agreed to what, a limit is only added, and what grants counts from the
// user's yes on. That each key goes by its rule is shown in package config, whose
// merge all faces share.
func TestRules_everyFace(t *testing.T) {
	t.Parallel()
	const winnow, cursor = ".vscode/winnow.json", ".cursor/mcp.json"
	const gives, takes = `{"disabledTools":[]}`, `{"disabledTools":["calm"]}`
	const told, replaced = "Deletes every note.", "Harmless."
	faces := sentBy()
	faces["terminal"] = (*ruled).terminal
	for name, tt := range map[string]struct {
		mine        entry // the user's own rules
		file, rules string
		agreed      bool
		want        []string
		description string // of danger, where it is sent
	}{
		"a limit is given back":           {entry{DisabledTools: []string{"danger"}}, winnow, gives, false, []string{"calm", "safe", "still"}, ""},
		"a limit is given back, agreed":   {entry{DisabledTools: []string{"danger"}}, cursor, gives, true, []string{"calm", "safe", "still"}, ""},
		"a limit is added":                {entry{DisabledTools: []string{"danger"}}, winnow, takes, false, []string{"safe", "still"}, ""},
		"by another client's":             {entry{}, cursor, takes, false, []string{"calm", "danger", "safe", "still"}, told},
		"by another client's, agreed":     {entry{}, cursor, takes, true, []string{"danger", "safe", "still"}, told},
		"a text for the model":            {entry{}, winnow, `{"toolDescriptionOverrides":{"danger":"` + replaced + `"}}`, false, []string{"calm", "danger", "safe", "still"}, told},
		"a text for the model, agreed to": {entry{}, winnow, `{"toolDescriptionOverrides":{"danger":"` + replaced + `"}}`, true, []string{"calm", "danger", "safe", "still"}, replaced},
	} {
		for face, sent := range faces {
			t.Run(name+"/"+face, func(t *testing.T) {
				t.Parallel()
				mine := scripted(t, upstreamtest.Script{Tools: []string{
					tool("danger", told), tool("safe", "Reads a note."), tool("calm", "Counts notes."), tool("still", "Lists notes."),
				}})
				mine.DisabledTools = tt.mine.DisabledTools
				o := &ruled{settings: map[string]any{"gateway": map[string]any{"mode": "all"}}, files: &ruleFiles{
					users: map[string]any{"servers": servers{"notes": mine}}, file: tt.file, rules: tt.rules, agreed: tt.agreed,
					workspace: t.TempDir(), home: t.TempDir(), storage: t.TempDir(),
				}}
				got := sent(o, t)
				var own []string
				for _, name := range slices.Sorted(maps.Keys(got)) {
					if slices.Contains([]string{"danger", "safe", "calm", "still"}, name) {
						own = append(own, name)
					}
				}
				if !slices.Equal(own, tt.want) {
					t.Errorf("%q are sent, want %q", own, tt.want)
				}
				want := tt.description
				switch {
				case face == "twin" && want == told:
					want = "Does it." // VS Code's text
				case face == "proxy" && want != "":
					want = "Does it." // which sends the client's tools as they are, to the byte
				}
				if got["danger"] != want {
					t.Errorf("danger is described as %q, want %q", got["danger"], want)
				}
			})
		}
	}
}

package learned_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// learner is an engine with two hundred tools that attaches ten a task.
func learner(t *testing.T, storage string, settings map[string]any) *enginetest.Host {
	t.Helper()
	all := map[string]any{"initialK": 10}
	for key, value := range settings {
		all[key] = value
	}
	h := enginetest.Start(t, enginetest.Options{Storage: storage}, all)
	h.HandOver(200)
	return h
}

// brings reports whether a message brings a tool, and whether because it was
// remembered.
func brings(h *enginetest.Host, message, tool string) (attached, remembered bool) {
	a := h.OpenRouted(message)
	r := enginetest.Call(h, h.TaskExplain, protocol.TaskExplainParams{Task: a.Task, Tool: tool})
	for _, part := range r.Tools[0].Parts {
		remembered = remembered || part.Name == "remembered"
	}
	return slices.Contains(enginetest.Names(a), tool), remembered
}

const (
	crewMessage = "the quarterly crew gathering has to move to Xanadu"
	crewAlike   = "Please move our crew's quarterly gathering, to Xanadu again!"
	crewTool    = "mcp_sensor_archive"
)

// TestLearned_aLoadByName: what the model loads for a message comes with the
// next such message, also in a later session, until it is cleared.
func TestLearned_aLoadByName(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	h := learner(t, storage, nil)
	a := h.OpenRouted(crewMessage)
	if slices.Contains(enginetest.Names(a), crewTool) {
		t.Fatal("the message brings the tool before anything was learned")
	}
	enginetest.Call(h, h.TaskLoad, protocol.TaskLoadParams{Task: a.Task, Names: []string{crewTool}})
	if attached, remembered := brings(h, crewAlike, crewTool); !attached || !remembered {
		t.Errorf("a message like the first: attached %t, remembered %t", attached, remembered)
	}
	if attached, remembered := brings(h, "delete the invoice of the reservation", crewTool); attached || remembered {
		t.Errorf("another message: attached %t, remembered %t", attached, remembered)
	}
	h.Close()

	file := filepath.Join(storage, "loads.learned")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(strings.ToLower(crewMessage)) {
		if len(word) > 3 && strings.Contains(strings.ToLower(string(data)), word) {
			t.Errorf("%s holds the word %q of the message", file, word)
		}
	}

	h = learner(t, storage, nil)
	if attached, _ := brings(h, crewAlike, crewTool); !attached {
		t.Error("a later session does not know it")
	}
	h.ClearLearned()
	if attached, remembered := brings(h, crewAlike, crewTool); attached || remembered {
		t.Errorf("cleared: attached %t, remembered %t", attached, remembered)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", file, err)
	}
	h.Close()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("%s is back after the session: %v", file, err)
	}
}

// TestLearned_aLoadByWords: of what its words found, the best is remembered at
// once, and of the others those that the model calls.
func TestLearned_aLoadByWords(t *testing.T) {
	t.Parallel()
	h := learner(t, t.TempDir(), nil)
	first := h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u1"), Message: crewMessage})
	loaded := enginetest.Call(h, h.TaskLoad, protocol.TaskLoadParams{Task: first.Task, Query: "create a playlist", Limit: 3})
	if len(loaded.Loaded) != 3 {
		t.Fatalf("loaded %+v", loaded.Loaded)
	}
	second := loaded.Loaded[1].Name
	if _, remembered := brings(h, crewAlike, loaded.Loaded[0].Name); !remembered {
		t.Error("the best is not remembered")
	}
	if _, remembered := brings(h, crewAlike, second); remembered {
		t.Error("the second is remembered, and was never called")
	}
	h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u1 a1 t1"), Message: crewMessage, Called: []string{second}})
	if _, remembered := brings(h, crewAlike, second); !remembered {
		t.Error("the second is not remembered, and was called")
	}
	if _, remembered := brings(h, crewAlike, loaded.Loaded[2].Name); remembered {
		t.Error("the third is remembered, and was never called")
	}
}

// TestLearned_setting: with the setting off nothing is kept and nothing used.
func TestLearned_setting(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	h := learner(t, storage, map[string]any{"learn": map[string]any{"loads": false}})
	enginetest.Call(h, h.TaskLoad, protocol.TaskLoadParams{Task: h.OpenRouted(crewMessage).Task, Names: []string{crewTool}})
	set := func(value string) {
		h.ChangeSettings(value)
	}
	set(`{"learn":{"loads":true}}`)
	if attached, _ := brings(h, crewAlike, crewTool); attached {
		t.Error("it was learned while the setting was off")
	}
	enginetest.Call(h, h.TaskLoad, protocol.TaskLoadParams{Task: h.OpenRouted(crewMessage).Task, Names: []string{crewTool}})
	if attached, _ := brings(h, crewAlike, crewTool); !attached {
		t.Error("it is not learned while the setting is on")
	}
	set(`{"learn":{"loads":false}}`)
	if attached, remembered := brings(h, crewAlike, crewTool); attached || remembered {
		t.Errorf("with the setting off: attached %t, remembered %t", attached, remembered)
	}
}

// TestLearned_brokenFile: a file that cannot be read is told and begun anew.
func TestLearned_brokenFile(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"not a blob": `{"key":`, "of another version": "winnow log of loaded tools 99\n\x00\x00\x00\x00"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storage := t.TempDir()
			configtest.Write(t, filepath.Join(storage, "loads.learned"), content)
			h := learner(t, storage, nil)
			warned := slices.ContainsFunc(h.Messages(),
				func(p protocol.ShowMessageParams) bool { return strings.Contains(p.Message, "loads.learned") })
			if !warned {
				t.Error("the user is not told")
			}
			enginetest.Call(h, h.TaskLoad, protocol.TaskLoadParams{Task: h.OpenRouted(crewMessage).Task, Names: []string{crewTool}})
			if attached, _ := brings(h, crewAlike, crewTool); !attached {
				t.Error("nothing is learned any more")
			}
		})
	}
}

// TestLearned_clearLeavesNothingOnTheDisk: whatever was kept of servers, tools
// and results is gone when the answer comes, and the session's end does not
// bring it back. What the user decided stays.
func TestLearned_clearLeavesNothingOnTheDisk(t *testing.T) {
	t.Parallel()
	s := configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}
	storage, workspace := t.TempDir(), configtest.WorkspaceWith(t, s, nil)
	settings := map[string]any{
		"results":    map[string]any{"maxChars": 1000},
		"embeddings": map[string]any{"provider": "ollama", "url": enginetest.MeaningServer(t).URL, "model": "stripes"},
	}
	begin := func() *enginetest.Host {
		h := enginetest.Start(t, enginetest.Options{Storage: storage, Workspace: workspace}, settings)
		h.UntilReady(s)
		return h
	}
	kept := func() (files []string) {
		if err := filepath.WalkDir(storage, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				file, _ := filepath.Rel(storage, path)
				files = append(files, strings.Split(filepath.ToSlash(file), "/")[0])
			}
			return err
		}); err != nil {
			t.Error(err)
		}
		return slices.Compact(files)
	}
	// What the user decided, and the record, stay.
	stay := []string{"journal", "lock"}
	all := []string{"journal", "loads.learned", "lock", "manifests", "results", "savings.learned", "tokens.learned", "usage.learned", "vectors"}

	h := begin()
	h.CallTool(h.Open("big").Task, "big", map[string]any{"bytes": 4321})
	enginetest.Call(h, h.SetHostTools,
		protocol.SetHostToolsParams{Source: "host", Tools: enginetest.HostTools(200)})
	enginetest.Call(h, h.TaskLoad, protocol.TaskLoadParams{Task: h.OpenRouted(crewMessage).Task, Names: []string{crewTool}})
	h.Until("the vectors to be kept", func() bool { return slices.Contains(kept(), "vectors") })
	h.Close()
	if files := kept(); !slices.Equal(files, all) {
		t.Fatalf("kept are %q, want %q", files, all)
	}

	h = begin()
	h.ClearLearned()
	if files := kept(); !slices.Equal(files, stay) {
		t.Errorf("cleared: %q are still there", files)
	}
	h.Close()
	if files := kept(); !slices.Equal(files, stay) {
		t.Errorf("after the session %q are back", files)
	}
}

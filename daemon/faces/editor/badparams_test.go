package editor_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/faces/editor"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestParams_wrongType: params of another shape reach nothing, and the refusal
// names the method.
func TestParams_wrongType(t *testing.T) {
	t.Parallel()
	for _, m := range protocol.Methods() {
		if m.Direction == protocol.ToClient || m.Result == nil || m.Name == protocol.MethodShutdown {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			f, h := startFake(t, daemontest.Options{})
			if m.Name != protocol.MethodInitialize {
				initialize(h)
			}
			f.expect(nil)
			wrong := []any{7, []any{}, "text"}
			for _, name := range editor.Members()[m.Name] {
				switch {
				case slices.Contains([]string{"settings", "workspaceSettings", "arguments"}, name): // any JSON; who reads it says what is wrong
				case name == "tools" && m.Name == protocol.MethodConversationRoute: // read by the engine: TestRoute_sources
				case name == "tools": // one of them costs that tool only: TestSetHostTools_badTools
					wrong = append(wrong, map[string]any{name: 7})
				default:
					wrong = append(wrong, map[string]any{name: [][]int{{7}}})
				}
			}
			for _, params := range wrong {
				e := h.Refused(m.Name, params)
				if e.Code != protocol.CodeInvalidParams || e.Data.Kind != protocol.KindInvalidParams || e.Data.Next == "" || !strings.Contains(e.Message, m.Name) {
					t.Errorf("%v: got %v, want invalid params, the method's name and a next step", params, e)
				}
			}
			if got := f.took(); len(got) > 0 {
				t.Errorf("the engine was asked\n%s, want nothing", words(got))
			}
		})
	}
}

// TestParams_unknown: a member that a method does not have changes nothing, and
// is logged with the method.
func TestParams_unknown(t *testing.T) {
	t.Parallel()
	h, f := overFake(t)
	routes := editor.Answered(f.open(host.None{}, nil), fakeGateway{f})
	for _, m := range protocol.Methods() {
		if m.Direction != protocol.ToServer || m.Name == protocol.MethodInitialize || m.Name == protocol.MethodShutdown || m.Name == protocol.MethodExit {
			continue
		}
		if m.Name != protocol.MethodCancelRequest && !slices.Contains(routes, m.Name) {
			t.Errorf("%s has no route, and so none of its members is looked at", m.Name)
			continue
		}
		member := "no" + strings.ReplaceAll(m.Name, "/", "")
		h.Notify(m.Name, map[string]any{member: 1}) // a request without an id is answered by nobody
		h.Until("a warning of "+member, func() bool {
			return strings.Contains(h.Log(), fmt.Sprintf(`"method":%q,"parameter":%q`, m.Name, member))
		})
	}
	list := protocol.CatalogListParams{Source: "host"}
	f.expect([]ask{{of: "Catalog.List", answer: catalog}})
	got := daemontest.Call[protocol.CatalogListResult](h, protocol.MethodCatalogList, map[string]any{"source": "host", "sauce": "ketchup"})
	if want := []ask{{of: "Catalog.List", args: args(&list)}}; !same(f.took(), want) || got.Version != catalog.Version {
		t.Errorf("the engine was asked\n%s, want\n%s", words(f.took()), words(want))
	}
}

// TestParams_absent: members that are not sent have their zero value, and no
// params are like none of their members: what cannot do without is for the
// engine to say, but for the name of a tool that is edited.
func TestParams_absent(t *testing.T) {
	t.Parallel()
	needs := map[string]string{
		protocol.MethodToolSetEnabled: "tool/setEnabled needs the name of a tool", protocol.MethodToolApprove: "tool/approve needs the name of a tool",
		protocol.MethodToolSetDescription: "tool/setDescription needs the name of a tool", protocol.MethodSetLogLevel: `level "" is none of debug, info, warn and error`,
	}
	h, f := overFake(t)
	for _, r := range rows() {
		if r.result == nil {
			continue
		}
		for _, params := range []any{none, nil} {
			f.expect(r.asks)
			raw, err := h.Begin(r.method, params).Await()
			message, refuses := needs[r.method]
			switch e := refused(err); {
			case !refuses && err != nil:
				t.Errorf("%s: got %v", r.method, err)
			case refuses && (e.Code != protocol.CodeInvalidParams || e.Data.Kind != protocol.KindInvalidParams || e.Message != message):
				t.Errorf("%s: got %s, %v; want %q", r.method, raw, err, message)
			case refuses && len(f.took()) > 0:
				t.Errorf("%s: the engine was asked\n%s, want nothing", r.method, words(f.took()))
			}
		}
	}
	f.expect(nil)
	daemontest.Call[protocol.EditResult](h, protocol.MethodServerSetEnabled, none)
	if want := []ask{{of: "Edits.SetServerEnabled", args: args("", false)}}; !same(f.took(), want) {
		t.Errorf("the engine was asked\n%s, want\n%s", words(f.took()), words(want))
	}
}

// TestParams_long: a text of many megabytes reaches the engine whole, whatever
// it is made of.
func TestParams_long(t *testing.T) {
	t.Parallel()
	h, f := overFake(t)
	for name, text := range longTexts() {
		f.expect(nil)
		daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: text})
		if want := []ask{{of: "Turns.Open", args: args(&protocol.TaskOpenParams{Message: text})}}; !same(f.took(), want) {
			t.Errorf("%s: it does not arrive as it was sent", name)
		}
	}
}

func longTexts() map[string]string {
	return map[string]string{
		"words":   strings.Repeat("word an other ", 1<<18),
		"no word": strings.Repeat("x", 4<<20),
		"signs":   strings.Repeat("\u0301.-", 1<<20),
	}
}

// TestParams_badBytes: what a host hands over costs only what is at fault.
func TestParams_badBytes(t *testing.T) {
	t.Parallel()
	h, f := overFake(t)
	f.expect([]ask{{of: "HostTools.Set", answer: protocol.SetHostToolsResult{Count: 2, Warnings: []string{"of the engine"}}}})
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	raw := fmt.Sprintf(`{"source":"host","tools":[{"server":"s","name":"good","inputSchema":{"type":"object"}},`+
		`{"server":"s","name":"cut","description":"cut \ud83d","inputSchema":{"type":"object","type":"object"}},`+
		`{"server":"s","name":5},{"server":"s","name":"deep","inputSchema":{"x":%s}},7]}`, deep)
	result := daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools, json.RawMessage(raw))
	if result.Count != 2 || len(result.Warnings) != 4 || result.Warnings[3] != "of the engine" || !strings.Contains(strings.Join(result.Warnings, "\n"), `"deep"`) {
		t.Errorf("got %+v, want 2 tools and a warning for each of 3 others, before the engine's", result)
	}
	object := json.RawMessage(`{"type":"object"}`)
	want := []ask{{of: "HostTools.Set", args: args(&protocol.SetHostToolsParams{Source: "host", Tools: []protocol.HostTool{
		{Server: "s", Name: "good", InputSchema: object}, {Server: "s", Name: "cut", Description: "cut \uFFFD", InputSchema: object},
	}})}}
	if !same(f.took(), want) {
		t.Errorf("the engine was asked\n%s, want\n%s", words(f.took()), words(want))
	}
	f.expect(nil)
	daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, json.RawMessage(`{"message":"cut \ud83d","source":"host"}`))
	want = []ask{{of: "Turns.Open", args: args(&protocol.TaskOpenParams{Message: "cut \uFFFD", Source: "host"})}}
	if !same(f.took(), want) {
		t.Errorf("the engine was asked\n%s, want\n%s", words(f.took()), words(want))
	}
}

// TestSetLogLevel: what is logged from then on is of the level or above.
func TestSetLogLevel(t *testing.T) {
	t.Parallel()
	h, _ := overFake(t)
	// A member that there is not is warned of.
	warnings := func() int {
		daemontest.Call[protocol.ModeListResult](h, protocol.MethodModeList, map[string]any{"nowhere": 1})
		return strings.Count(h.Log(), "nowhere")
	}
	for i, tt := range []struct {
		level protocol.LogLevel
		want  int // warnings so far
	}{{protocol.LogInfo, 1}, {protocol.LogError, 1}, {protocol.LogWarning, 2}, {protocol.LogError, 2}, {protocol.LogDebug, 3}} {
		daemontest.Call[protocol.Empty](h, protocol.MethodSetLogLevel, protocol.SetLogLevelParams{Level: tt.level})
		if got := warnings(); got != tt.want {
			t.Errorf("%d: %d warnings at level %s, want %d", i, got, tt.level, tt.want)
		}
	}
	if e := h.Refused(protocol.MethodSetLogLevel, protocol.SetLogLevelParams{Level: "loud"}); e.Code != protocol.CodeInvalidParams ||
		!strings.Contains(e.Message, `"loud"`) {
		t.Errorf("another level: %v", e)
	}
}

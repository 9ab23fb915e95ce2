package enginetest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// Begin starts an engine on servers that all become ready.
func Begin(t testing.TB, settings map[string]any, s configtest.Servers, m configtest.Modes) *Host {
	t.Helper()
	h := Start(t, Options{Workspace: configtest.WorkspaceWith(t, s, m)}, settings)
	h.UntilReady(s)
	return h
}

// Standard starts an engine on a server std with the standard tools. A threshold of 1
// causes routing.
func Standard(t testing.TB, settings map[string]any) *Host {
	t.Helper()
	all := map[string]any{"threshold": 1}
	for k, v := range settings {
		all[k] = v
	}
	return Begin(t, all, configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}, nil)
}

// Routed starts an engine with two hundred tools of a host, source "host".
func Routed(t testing.TB, settings map[string]any) *Host {
	t.Helper()
	h := Start(t, Options{}, settings)
	h.HandOver(200)
	return h
}

// HandOver gives [HostTools] to the engine, source "host".
func (h *Host) HandOver(n int) {
	h.t.Helper()
	Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "host", Tools: HostTools(n)})
}

// HostTools returns n tools of a host, one of which sends mail.
func HostTools(n int) []protocol.HostTool {
	verbs := []string{"create", "delete", "list", "update", "archive"}
	nouns := []string{"ticket", "invoice", "branch", "dashboard", "playlist", "recipe", "reservation", "sensor"}
	tools := []protocol.HostTool{{
		Server: "mail", Name: "mcp_mail_send", Description: "Send an e-mail to somebody.",
		InputSchema: []byte(`{"type": "object", "properties": {"to": {"type": "string"}}}`),
	}}
	for i := 1; i < n; i++ {
		verb, noun := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)]
		name := "mcp_" + noun + "_" + verb + strings.Repeat("x", i/len(verbs)/len(nouns))
		tools = append(tools, protocol.HostTool{
			Server: noun, Name: name, Description: strings.ToUpper(verb[:1]) + verb[1:] + " a " + noun + ".",
			InputSchema: []byte(`{"type":"object","properties":{"id":{"type":"string"}}}`),
		})
	}
	return tools
}

// Catalog returns the servers and tools that the engine runs.
func (h *Host) Catalog() protocol.CatalogListResult {
	h.t.Helper()
	return Call(h, h.CatalogList, protocol.CatalogListParams{})
}

// Consent answers a question about a server.
func (h *Host) Consent(p protocol.ServerConsentParams) {
	h.t.Helper()
	Call(h, h.ServerConsent, p)
}

// ApproveAll approves all that a server says, so that its read-only annotations are
// trusted.
func (h *Host) ApproveAll(server string) protocol.LockDecideResult {
	h.t.Helper()
	info, _ := h.Server(server)
	return Call(h, h.LockApprove, protocol.LockDecideParams{Server: server, Content: info.Content})
}

// ChangeSettings changes the settings to a JSON of those that differ from the defaults.
func (h *Host) ChangeSettings(settings string) {
	h.Engine.ChangeSettings(&protocol.DidChangeSettingsParams{Settings: json.RawMessage(settings)})
}

// Open opens a task on the engine's own servers.
func (h *Host) Open(message string) protocol.Attachment {
	h.t.Helper()
	return Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: message, WantState: true})
}

// OpenRouted opens a task on the host's tools, for a model with a context of 200,000
// tokens and a host that sends three tools of its own.
func (h *Host) OpenRouted(message string) protocol.Attachment {
	h.t.Helper()
	return Call(h, h.TaskOpen, protocol.TaskOpenParams{
		Message: message, Source: "host", Model: protocol.ModelLimits{ContextTokens: 200_000, NativeTools: 3},
	})
}

// Turn sends the task's next message of the user, and returns what is attached for it.
func (h *Host) Turn(task, message string) protocol.Attachment {
	h.t.Helper()
	return Call(h, h.TaskTurn, protocol.TaskTurnParams{Task: task, Message: message})
}

// CallTool calls a tool with arguments that are encoded as JSON.
func (h *Host) CallTool(task, name string, arguments any) protocol.TaskCallResult {
	h.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		h.Fatalf("%v", err)
	}
	return Call(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: name, Arguments: raw})
}

// CallText calls a tool with arguments and returns the text of the answer.
func (h *Host) CallText(task, name, arguments string) string {
	h.t.Helper()
	return Text(Call(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: name, Arguments: json.RawMessage(arguments)}))
}

// ByName returns arguments of mcp_call.
func ByName(name string, arguments any) map[string]any {
	return map[string]any{"name": name, "arguments": arguments}
}

// Route routes a request of a stateless host on the host's tools.
func (h *Host) Route(p protocol.ConversationRouteParams) protocol.ConversationRouteResult {
	h.t.Helper()
	p.Source = "host"
	return Call(h, h.ConversationRoute, p)
}

// Digests returns the digests of a conversation: "u1 a1 t1" are a user's, an assistant's
// and a tool's message.
func Digests(list string) []protocol.MessageDigest {
	roles := map[byte]string{'s': "system", 'u': "user", 'a': "assistant", 't': "tool"}
	var all []protocol.MessageDigest
	for _, word := range strings.Fields(list) {
		all = append(all, protocol.MessageDigest{Role: roles[word[0]], Digest: word, Summary: strings.HasSuffix(word, "*")})
	}
	return all
}

// InScope reports whether a tool of a server is there and in scope.
func (h *Host) InScope(server, tool string) bool {
	h.t.Helper()
	return slices.ContainsFunc(Call(h, h.CatalogList, protocol.CatalogListParams{Server: server}).Tools, func(i protocol.ToolInfo) bool {
		return i.Tool == tool && i.InScope && i.Cause == nil
	})
}

// Text joins the text of a result's content.
func Text(r protocol.TaskCallResult) string {
	var all strings.Builder
	for _, raw := range r.Content {
		var block struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(raw, &block) == nil {
			all.WriteString(block.Text)
		}
	}
	return all.String()
}

// Names returns the names of the attached tools, in order.
func Names(a protocol.Attachment) []string {
	list := make([]string, len(a.Tools))
	for i, t := range a.Tools {
		list[i] = t.Name
	}
	return list
}

// Tasks lists the open tasks.
func (h *Host) Tasks() protocol.TaskListResult {
	h.t.Helper()
	list, err := h.Engine.Inspector.List()
	if err != nil {
		h.Fatalf("the open tasks: %v", err)
	}
	return list
}

// ClearLearned deletes what is learned and stored.
func (h *Host) ClearLearned() {
	h.t.Helper()
	if err := h.Engine.ClearLearned(); err != nil {
		h.Fatalf("clear what is learned: %v", err)
	}
}

// Recorded returns the journal entries of the ended engine of a storage path, for the
// local user.
func Recorded(t testing.TB, storage string, f journal.Filter) []journal.Entry {
	t.Helper()
	var found []journal.Entry
	if err := journal.Read(journal.Dir(storage), f, func(e journal.Entry) bool { found = append(found, e); return true }); err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		if e.Principal != principal.Local && e.Kind != journal.Lost {
			t.Errorf("an entry does not say on whose behalf: %+v", e)
		}
	}
	return found
}

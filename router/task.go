package router

import (
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
)

// Task is one conversation with one model: which tools it got, in which order, and why.
// It is a value. The functions of a [View] take one and return the next, and never modify
// the slices of their argument.
type Task struct {
	ID     string
	Source string
	// Mode is the slug of the mode of the latest turn.
	Mode string
	// ModeAsked is the mode that the host requested; empty follows the current one.
	ModeAsked string
	// Routing is how the latest turn chose the tools.
	Routing protocol.AttachmentMode
	// Turn counts user messages from 1.
	Turn int
	// Window counts the messages since the task was opened or compacted.
	Window int
	// SubjectAt is the first message of the window, counted as Window, that tools can be
	// searched by; 0 if none says what it is about.
	SubjectAt int
	// ChosenBy is the setting that determined how many tools the latest message attached;
	// empty if no setting limited the number.
	ChosenBy string
	// Generation increases with each change of Attached.
	Generation int64
	// LoadOffered reports that mcp_load was offered, which is permanent.
	LoadOffered bool
	// Named holds the tools that the model knows by name only: those in the description
	// of mcp_load by name, then those in its answers.
	Named []Named
	// ResultOffered reports that mcp_result was offered, which is permanent.
	ResultOffered bool
	// Index lists the servers for a model that searches and calls; empty if the task has
	// never used strategy `dispatch`.
	Index string
	// Gateway is the mode in which a gateway's client is served; empty for a host's task.
	// A gateway's task is not saved: it ends with its client.
	Gateway protocol.GatewayMode
	// Shared reports that many conversations use this task, so none is assumed to know
	// what another was shown.
	Shared bool
	// Shown holds the tools that mcp_search has shown, with a digest of the schema.
	Shown []protocol.ShownTool
	// Client is what the task's client would send by itself, with its cost; nil for a
	// client that hides nothing.
	Client  *protocol.ClientTools
	Model   protocol.ModelLimits
	Choices protocol.TaskChoices
	// Attached is in the order in which the tools were attached.
	Attached []Attached
	// Called is in the order of the first calls.
	Called []ToolID
	// Message is the latest user message, Earlier those before it.
	Message string
	Earlier []string
	// Conversation and Messages are the host's identifier of the conversation and the
	// digests of its latest request, if the host routes by these.
	Conversation string
	Messages     []protocol.MessageDigest
	// Unclaimed reports that the sender of the latest request can show only the model's
	// answer, so no server's tool may answer in its place.
	Unclaimed bool
	// Gated holds the servers' verdicts on the message of the latest turn.
	Gated []protocol.GatingVerdict
	// Starting names servers in scope whose tools are not known yet. It is set before
	// each turn.
	Starting []string
	// Warm reports that the conversation is in a provider's cache, behind the tools, so
	// that another list of tools would lose it. The latest message adds no tools then,
	// unless it is the first that says what the task is about.
	Warm bool
	// Warnings are for the user, about the latest turn.
	Warnings []string
}

// Attached is a tool as a task's model first saw it. It never changes within the task.
type Attached struct {
	ID          ToolID
	Name        string
	Description string
	Schema      json.RawMessage
	Tokens      int
	Turn        int
	Reason      protocol.AttachReason
	Score       float64
}

// Bounds on the kept messages, in bytes except for maxEarlier. Each attachment carries
// the task's state, so a pasted log must not enlarge it without limit.
const (
	maxMessage       = 16 << 10 // what a ranker reads at most
	maxEarlier       = 8
	maxEarlierLength = 4000
)

// said returns the task with text as its latest message.
func (t Task) said(text string) Task {
	if t.Message != "" {
		earlier := append(slices.Clone(t.Earlier), cut(t.Message, maxEarlierLength))
		t.Earlier = earlier[max(0, len(earlier)-maxEarlier):]
	}
	t.Message = clip(text, maxMessage)
	return t
}

// repeated returns the task with text as its latest message. An empty text keeps the
// current message.
func (t Task) repeated(text string) Task {
	if text == "" {
		return t
	}
	return t.said(text)
}

// Has returns the index of a tool among the attached ones, or -1.
func (t *Task) Has(id ToolID) int {
	return slices.IndexFunc(t.Attached, func(a Attached) bool { return a.ID == id })
}

func (t *Task) disables(id ToolID) bool {
	return slices.Contains(t.Choices.Disabled, protocol.ToolRef(id))
}

// Call returns the task after a call of a tool.
func (t Task) Call(id ToolID) Task {
	if !slices.Contains(t.Called, id) {
		t.Called = append(slices.Clip(t.Called), id)
	}
	return t
}

// Named is a tool that a task's model knows only by its name and a few words. It is not
// in the request; the model attaches it by mcp_load, or calls it directly.
type Named struct {
	ID ToolID
	// Name is the name that the model was given. It means this tool as long as the task
	// lasts.
	Name string
	// About says in at most ten words what the tool is for; may be empty.
	About string
	// Answered reports that an answer of mcp_load named the tool. The description of
	// mcp_load, which must not change within a task, does not name it then.
	Answered bool
}

// host returns what people call the program that sends the task's requests. Only VS Code
// tells what it would send by itself.
func (t *Task) host() string {
	if t.Client != nil {
		return "VS Code"
	}
	return "the client"
}

// tokens returns the cost of the attached tools.
func (t *Task) tokens() int {
	sum := 0
	for i := range t.Attached {
		sum += t.Attached[i].Tokens
	}
	return sum
}

func (t *Task) held(more int) held {
	h := held{make(map[ToolID]bool, len(t.Attached)+more), make(map[string]bool, len(t.Attached)+more)}
	for i := range t.Attached {
		h.ids[t.Attached[i].ID], h.names[t.Attached[i].Name] = true, true
	}
	return h
}

// held holds the identities and names that a task's attached tools occupy.
type held struct {
	ids   map[ToolID]bool
	names map[string]bool
}

// searched counts the window's messages from SubjectAt on. Those before it cannot be
// searched for.
func (t *Task) searched() int {
	if t.SubjectAt == 0 {
		return 0
	}
	return t.Window - t.SubjectAt + 1
}

// opens reports whether the task's latest message is the first of the window that tools
// can be searched by.
func (t *Task) opens() bool { return t.SubjectAt == t.Window }

// stays reports whether a tool is attached for more than one message. A called tool has
// to stay, because some providers refuse a request whose history calls a tool that it
// does not define.
func (t *Task) stays(a Attached) bool {
	switch a.Reason {
	case protocol.ReasonLoaded, protocol.ReasonEarlyCall, protocol.ReasonPinned, protocol.ReasonCalled:
		return true
	case protocol.ReasonAll, protocol.ReasonRanked, protocol.ReasonFill:
	}
	return slices.Contains(t.Called, a.ID)
}

// inHand reports whether the model had the tool without requesting it.
func (a *Attached) inHand() bool {
	return a.Reason != protocol.ReasonLoaded && a.Reason != protocol.ReasonEarlyCall
}

// excludedBy returns the cause if a tool's server excluded it in the task's latest turn,
// or the zero cause.
func (t *Task) excludedBy(id ToolID) protocol.Cause {
	for _, said := range t.Gated {
		if said.Server == id.Server && said.Tool == id.Tool && said.Action == protocol.GatingExclude && said.Ignored == "" {
			return protocol.Cause{Kind: protocol.CauseExcluded, Owner: id.Server, Key: GatingName}
		}
	}
	return protocol.Cause{}
}

// Fetched returns the called tools that the model fetched itself for the task's latest
// message, by mcp_load or by an early call. The message should have brought them.
func (t *Task) Fetched() []ToolID {
	if t.Routing != protocol.AttachDynamic {
		return nil
	}
	var found []ToolID
	for i := range t.Attached {
		a := &t.Attached[i]
		fetched := a.Reason == protocol.ReasonLoaded || a.Reason == protocol.ReasonEarlyCall
		if fetched && a.Turn == t.Turn && slices.Contains(t.Called, a.ID) {
			found = append(found, a.ID)
		}
	}
	return found
}

// Miss records that a message should have brought a tool. words are the hashes of the
// message's words.
func Miss(id ToolID, words []uint32) ranker.Miss {
	return ranker.Miss{ID: id.key(), Words: words}
}

// namedOnly counts the tools that the task's model knows by name only.
func (t *Task) namedOnly() int {
	n := 0
	for i := range t.Named {
		if t.Has(t.Named[i].ID) < 0 {
			n++
		}
	}
	return n
}

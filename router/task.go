package router

import (
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
)

// Task is one conversation with one model: what it was given, in which order,
// and why. It is a value: the functions of a [View] take one and return the
// next, and never touch the slices of the one they were given.
type Task struct {
	ID     string
	Source string
	// Mode is the slug of the mode of the latest turn.
	Mode string
	// ModeAsked is the mode that the host asked for; empty follows the
	// current one.
	ModeAsked string
	// Routing is how the latest turn chose the tools.
	Routing protocol.AttachmentMode
	// Turn counts user messages from 1.
	Turn int
	// Window counts the messages since the window began: since the task was
	// opened, or compacted.
	Window int
	// SubjectAt is the first message of the window, counted like it, by which
	// tools could be searched for; 0 while none says what it is about.
	SubjectAt int
	// ChosenBy is the setting that said how many tools the latest message
	// attached; empty where they were not chosen by a number.
	ChosenBy string
	// Generation rises with each change of Attached.
	Generation int64
	// LoadOffered: mcp_load was offered, and so it stays.
	LoadOffered bool
	// Named are tools of which the model saw only the name: in the
	// description of mcp_load, by name, and then by its answers.
	Named []Named
	// ResultOffered: mcp_result was offered, and so it stays.
	ResultOffered bool
	// Index tells a model that searches and calls what there is; empty where
	// the task has never been one of strategy `dispatch`.
	Index string
	// Gateway is how the task of a gateway's client is served; empty for a
	// host's task. Such a task is not saved: it ends with its client.
	Gateway protocol.GatewayMode
	// Shared: the requests of many conversations are this task's, so none
	// is taken to know what another was shown.
	Shared bool
	// Shown are the tools that mcp_search has shown, with a print of the schema.
	Shown []protocol.ShownTool
	// Client is what the task's client would send by itself, with its cost; nil
	// for one that hides nothing.
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
	// Conversation and Messages are what the host calls the conversation, and
	// the digests of its latest request, where it routes by these.
	Conversation string
	Messages     []protocol.MessageDigest
	// Unclaimed: whoever sent the latest request can show no answer but the
	// model's, so no server's tool answers in its place.
	Unclaimed bool
	// Gated is what servers said about the message of the latest turn.
	Gated []protocol.GatingVerdict
	// Starting names servers whose tools may be this task's and are not known yet.
	// It is said before each turn.
	Starting []string
	// Warm: what is said stands in a provider's cache behind the tools, so the
	// latest message adds none, unless it is the first that says something.
	Warm bool
	// Warnings are for the user, of the latest turn.
	Warnings []string
}

// Attached is a tool as a task's model first saw it. Nothing in it
// changes within the task, whatever becomes of the tool.
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

// Bounds on what is kept of messages, in bytes. Each attachment carries the
// task's state, so a pasted log must not grow it without end.
const (
	maxMessage       = 16 << 10 // as much as a ranker reads
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

// repeated returns the task with text as its latest message; an empty one stands
// for the message that it has.
func (t Task) repeated(text string) Task {
	if text == "" {
		return t
	}
	return t.said(text)
}

// Has returns the place of a tool among the attached ones, or -1.
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

// Named is a tool that a task's model knows by its name and a few words, and
// not in full. It has no place in a request: the model attaches it by mcp_load,
// or calls it as it is.
type Named struct {
	ID ToolID
	// Name is the name that the model got. It stands for the tool as long as the
	// task lasts.
	Name string
	// About says in at most ten words what the tool is for; it may be empty.
	About string
	// Answered: an answer of mcp_load named it. The description of mcp_load,
	// which must not change within a task, does not.
	Answered bool
}

// tokens is the cost of the attached tools.
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

// held is what a task's attached tools occupy.
type held struct {
	ids   map[ToolID]bool
	names map[string]bool
}

// searched counts the messages of the window, from the first on that says what
// it is about: those before it had nothing to search for.
func (t *Task) searched() int {
	if t.SubjectAt == 0 {
		return 0
	}
	return t.Window - t.SubjectAt + 1
}

// opens reports whether the task's latest message is the first of the window by
// which tools can be searched for.
func (t *Task) opens() bool { return t.SubjectAt == t.Window }

// stays reports whether a tool is attached for longer than one message. A tool
// in the history has to stay: some providers refuse a call of a tool that the
// request does not define.
func (t *Task) stays(a Attached) bool {
	switch a.Reason {
	case protocol.ReasonLoaded, protocol.ReasonEarlyCall, protocol.ReasonPinned, protocol.ReasonCalled:
		return true
	case protocol.ReasonAll, protocol.ReasonRanked, protocol.ReasonFill:
	}
	return slices.Contains(t.Called, a.ID)
}

// inHand reports whether the model had the tool before it asked for any.
func (a *Attached) inHand() bool {
	return a.Reason != protocol.ReasonLoaded && a.Reason != protocol.ReasonEarlyCall
}

// excludedBy says that a tool's server kept it back in the task's latest turn;
// the zero cause when it did not.
func (t *Task) excludedBy(id ToolID) protocol.Cause {
	for _, said := range t.Gated {
		if said.Server == id.Server && said.Tool == id.Tool && said.Action == protocol.GatingExclude && said.Ignored == "" {
			return protocol.Cause{Kind: protocol.CauseExcluded, Owner: id.Server, Key: GatingName}
		}
	}
	return protocol.Cause{}
}

// Fetched returns the tools that the model fetched by itself for the task's
// latest message, by mcp_load or by calling them unasked, and that it has
// called: the message should have brought them.
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

// Miss says that a message should have brought a tool. words are the prints
// of the message.
func Miss(id ToolID, words []uint32) ranker.Miss {
	return ranker.Miss{ID: id.key(), Words: words}
}

// namedOnly counts the tools that the task's model knows by name alone.
func (t *Task) namedOnly() int {
	n := 0
	for i := range t.Named {
		if t.Has(t.Named[i].ID) < 0 {
			n++
		}
	}
	return n
}

package router

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol"
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
	// Named are tools that the model was told of by name alone: in the
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

// Attached is a tool as a task's model was first told of it. Nothing in it
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

// clip returns s, or of a longer one its beginning and its end, n bytes in
// all: what a person asks stands before or after what they pasted.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	half := (n - 1) / 2
	end := len(s) - half
	for end < len(s) && !utf8.RuneStart(s[end]) {
		end++
	}
	return cut(s, half) + "\n" + s[end:]
}

// cut returns at most n bytes of s and never half a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
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

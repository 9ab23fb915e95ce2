package chats

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// vscodeAgent is VS Code's own agent among the extensions that use models.
const vscodeAgent = "github.copilot-chat"

// ReadVSCode finds in the messages of a request, where they have parts, what its
// host does not say of them: their digests, the user's words, the agent that the
// user works with, and which of the agents that share a chat's id this one is.
// digests may be nil.
func ReadVSCode(p *protocol.ConversationRouteParams, digests *Digests) {
	agent := customAgent(p.Messages)
	if p.Message == "" {
		p.Message = Words(NewestText(p.Messages))
	}
	if p.Initiator != "" && p.Conversation != "" {
		p.Conversation += "#" + agentDigest(p.Messages, agent)
	}
	if IsVSCodeAgent(p.Initiator) {
		p.Agent = cmp.Or(p.Agent, agent)
	}
	p.Initiator = "" // it has said what it can
	for i := range p.Messages {
		if m := &p.Messages[i]; m.Parts != nil {
			*m = digestVSCode(m, digests)
		}
	}
}

// IsVSCodeAgent reports whether an extension that asks is VS Code's own agent.
func IsVSCodeAgent(initiator string) bool { return strings.EqualFold(initiator, vscodeAgent) }

// digestVSCode returns what stands for a message that has parts.
func digestVSCode(m *protocol.MessageDigest, digests *Digests) protocol.MessageDigest {
	text := TextOf(m.Parts)
	d := protocol.MessageDigest{Role: m.Role, Digest: m.Digest, Summary: m.Role == roleUser && IsSummary(text)}
	said := make([]Part, 0, len(m.Parts))
	for i := range m.Parts {
		p := &m.Parts[i]
		switch p.Kind {
		case protocol.PartText:
			said = append(said, Part{Kind: Text, Text: p.Text})
		case protocol.PartCall:
			d.Calls = append(d.Calls, protocol.MessageCall{ID: PlainID(p.CallID), Name: p.Name})
			said = append(said, Part{Kind: Call, Name: p.Name, Text: string(p.Input)})
		case protocol.PartResult: // it comes in a user's message, and begins no turn
			if m.Role == roleUser {
				d.Role = roleTool
			}
			said = append(said, Part{Kind: Result, Text: withoutImages(TextOf(p.Content))})
		case protocol.PartData:
			said = append(said, Part{Kind: Data, Name: p.MimeType, Text: p.Sha256})
		case protocol.PartOther: // thinking comes and goes
		}
	}
	if m.Role == roleSystem {
		said = []Part{{Kind: Text, Text: steadyPart(text)}}
	}
	if d.Digest == "" {
		d.Digest = digests.of(said)
	}
	return d
}

// The roles of messages that mean something here.
const (
	roleSystem = "system"
	roleUser   = "user"
	roleTool   = "tool"
)

// shownImage is what VS Code writes into a result beside an image, and from the
// next turn on in its place.
var shownImage = regexp.MustCompile(`\n?\[Image (?:URI:|was previously shown)[^\]]*\]`)

// withoutImages returns the text of a result without what stands for images.
func withoutImages(text string) string {
	if !strings.Contains(text, "[Image ") { // the expression alone takes longer than all the rest
		return text
	}
	return shownImage.ReplaceAllString(text, "")
}

// PlainIDs returns the ids of calls as their model gave them: VS Code puts a
// suffix behind the ids that it keeps.
func PlainIDs(ids []string) []string {
	plain := make([]string, len(ids))
	for i, id := range ids {
		plain[i] = PlainID(id)
	}
	return plain
}

// PlainID is [PlainIDs] for one.
func PlainID(id string) string {
	plain, _, _ := strings.Cut(id, VSCodeSuffix)
	return plain
}

// VSCodeSuffix begins what VS Code's agent puts behind the ids of calls.
const VSCodeSuffix = "__vscode-"

// TextOf returns the text of parts, without that of results.
func TextOf(parts []protocol.MessagePart) string {
	if len(parts) == 1 && parts[0].Kind == protocol.PartText {
		return parts[0].Text // most messages, and the longest
	}
	var text strings.Builder
	for i := range parts {
		if parts[i].Kind == protocol.PartText {
			text.WriteString(parts[i].Text)
		}
	}
	return text.String()
}

// NewestText returns the newest message that is no tool result, as VS Code's agent
// wrote it; empty when there is none.
func NewestText(messages []protocol.MessageDigest) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if m := &messages[i]; m.Role == roleUser && !hasResult(m.Parts) {
			return TextOf(m.Parts)
		}
	}
	return ""
}

func hasResult(parts []protocol.MessagePart) bool {
	for i := range parts {
		if parts[i].Kind == protocol.PartResult {
			return true
		}
	}
	return false
}

// modeInstructions is how VS Code's agent tells the model that the user works with
// a custom agent, or another mode than the built-in ones. No API tells it.
var modeInstructions = regexp.MustCompile(`<modeInstructions>\s*You are currently running in "(.+?)" mode\.`)

// customAgent returns the name of the custom agent that the user works with; empty
// where the prompt names none, and where a later VS Code writes it otherwise.
func customAgent(messages []protocol.MessageDigest) string {
	for i := range messages {
		if m := &messages[i]; m.Role == roleSystem {
			if found := modeInstructions.FindStringSubmatch(TextOf(m.Parts)); found != nil {
				return found[1]
			}
		}
	}
	return ""
}

// variable is what the lines of the system prompt hold that differ between models,
// and between windows, which run the same agent.
var variable = []string{"VSCODE_", "you are using"}

// withoutVariable returns a system prompt with the lines emptied that hold one of
// [variable].
func withoutVariable(prompt string) string {
	holds := func(text string) bool {
		return slices.ContainsFunc(variable, func(mark string) bool { return strings.Contains(text, mark) })
	}
	if !holds(prompt) {
		return prompt
	}
	var kept strings.Builder
	for line := range strings.Lines(prompt) {
		if holds(line) {
			line = line[len(strings.TrimSuffix(line, "\n")):]
		}
		kept.WriteString(line)
	}
	return kept.String()
}

// steadyPart returns the part of a system prompt that stays the same in a chat: the
// agent's own words up to its first section. VS Code's agent says in the sections
// which skills, instruction files and servers it has found by then, and in all of
// them what holds of the tools that are there.
func steadyPart(prompt string) string {
	begin, _, _ := strings.Cut(prompt, "<")
	if strings.TrimSpace(begin) == "" {
		begin = prompt
	}
	var one strings.Builder // with one space for several
	one.Grow(len(begin))
	for i := range len(begin) {
		switch {
		case !isSpace(begin[i]):
			one.WriteByte(begin[i])
		case i == 0 || !isSpace(begin[i-1]):
			one.WriteByte(' ')
		}
	}
	return one.String()
}

func isSpace(b byte) bool { return strings.IndexByte(" \t\n\f\r", b) >= 0 }

// agentDigest tells the agents apart that share the id of a chat. The subagent that
// has no name of its own is the same agent: it is distinguished from its chat by what it is
// asked. Chats are kept by it: a change of it loses those that are kept.
func agentDigest(messages []protocol.MessageDigest, agent string) string {
	h := sha256.New()
	for i := range messages {
		if m := &messages[i]; m.Role == roleSystem {
			h.Write([]byte(steadyPart(withoutVariable(TextOf(m.Parts)))))
		}
	}
	h.Write([]byte(agent))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))[:22]
}

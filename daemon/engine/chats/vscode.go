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

// vscodeAgent is the extension ID of VS Code's own agent.
const vscodeAgent = "github.copilot-chat"

// ReadVSCode completes a request from the parts of its messages, if it has any: digests,
// the user's words, the user's custom agent, and which of the agents that share a chat's
// ID sent it. digests may be nil.
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
	p.Initiator = "" // it is no longer needed
	for i := range p.Messages {
		if m := &p.Messages[i]; m.Parts != nil {
			*m = digestVSCode(m, digests)
		}
	}
}

// IsVSCodeAgent reports whether a requesting extension is VS Code's own agent.
func IsVSCodeAgent(initiator string) bool { return strings.EqualFold(initiator, vscodeAgent) }

// digestVSCode returns the digest of a message that has parts.
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
		case protocol.PartResult: // it is in a user's message, and begins no turn
			if m.Role == roleUser {
				d.Role = roleTool
			}
			said = append(said, Part{Kind: Result, Text: withoutImages(TextOf(p.Content))})
		case protocol.PartData:
			said = append(said, Part{Kind: Data, Name: p.MimeType, Text: p.Sha256})
		case protocol.PartOther: // thinking is not stable
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

// Roles of messages with a meaning here.
const (
	roleSystem    = "system"
	roleUser      = "user"
	roleTool      = "tool"
	roleAssistant = "assistant"
)

// shownImage matches what VS Code writes into a result beside an image, and in its place
// from the next turn on.
var shownImage = regexp.MustCompile(`\n?\[Image (?:URI:|was previously shown)[^\]]*\]`)

// withoutImages removes the placeholders of images from the text of a result.
func withoutImages(text string) string {
	if !strings.Contains(text, "[Image ") { // the expression alone takes longer than all the rest
		return text
	}
	return shownImage.ReplaceAllString(text, "")
}

// PlainIDs returns the model's IDs of calls, without the suffix that VS Code appends to
// the IDs that it stores.
func PlainIDs(ids []string) []string {
	plain := make([]string, len(ids))
	for i, id := range ids {
		plain[i] = PlainID(id)
	}
	return plain
}

// PlainID is [PlainIDs] for one ID.
func PlainID(id string) string {
	plain, _, _ := strings.Cut(id, VSCodeSuffix)
	return plain
}

// VSCodeSuffix starts the suffix that VS Code's agent appends to the IDs of calls.
const VSCodeSuffix = "__vscode-"

// TextOf returns the text of parts, without results.
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

// NewestText returns the newest user message that is not a tool result, as VS Code's
// agent wrote it, or "" if there is none.
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

// modeInstructions matches how VS Code's agent names to the model the user's custom agent
// or non-built-in mode. No API provides it.
var modeInstructions = regexp.MustCompile(`<modeInstructions>\s*You are currently running in "(.+?)" mode\.`)

// customAgent returns the name of the user's custom agent, or "" if the prompt names none
// or a later VS Code writes it differently.
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

// variable holds texts of the system prompt's lines that differ between models and
// windows running the same agent.
var variable = []string{"VSCODE_", "you are using"}

// withoutVariable empties the lines of a system prompt that contain one of [variable].
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

// steadyPart returns the part of a system prompt that is constant in a chat: the agent's
// own words before its first section. The sections of VS Code's agent list the skills,
// instruction files and servers found so far, and depend on the tools present.
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

// agentDigest distinguishes the agents that share the ID of a chat. A subagent without a
// name of its own is the same agent; it is distinguished from its chat by its messages.
// Stored chats are keyed by this digest, so a change of it loses them.
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

package vscode

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/protocol"
)

// editor converts the messages of a request into those that its model wrote and read.
type editor struct {
	messages []protocol.MessageDigest
	internal []protocol.InternalRounds
	// dropGroups reports that the model is not offered the groups, so calls of them are
	// removed.
	dropGroups bool
	// repeats reports that a repeated result is replaced by a reference to the first.
	repeats bool
	// byCall reports whether a call of a tool is converted into one of mcp_call, because
	// the model can reach the tool only so. Some providers refuse calls of tools that a
	// request does not offer. Nil if mcp_call is not offered.
	byCall func(tool string) bool
}

// piece is a part of a message during editing: an original part, or a new one.
type piece struct {
	place int // index of the part; -1 if it is new
	part  protocol.MessagePart
	raw   json.RawMessage // of a new part
}

// edits returns the changes to make.
func (e *editor) edits() []protocol.MessageEdit {
	lacking := map[int]*protocol.InternalRounds{}
	for i := range e.internal {
		lacking[e.internal[i].Message] = &e.internal[i]
	}
	groups := e.groupCalls()
	notes := e.notes(groups)
	var all []protocol.MessageEdit
	for i := range e.messages {
		m := &e.messages[i]
		if lacking[i] == nil && notes[i] == nil && !slices.ContainsFunc(m.Parts, func(p protocol.MessagePart) bool {
			return groups[p.CallID] || e.byCall != nil && p.Kind == protocol.PartCall && e.byCall(p.Name)
		}) {
			continue // most messages
		}
		edit := protocol.MessageEdit{Message: i}
		pieces := make([]piece, len(m.Parts))
		for k := range m.Parts {
			pieces[k] = piece{place: k, part: m.Parts[k]}
		}
		changed := false
		if in := lacking[i]; in != nil {
			edit.Before, pieces, edit.After = restored(pieces, in)
			changed = true
		}
		if without := slices.DeleteFunc(slices.Clone(pieces), func(p piece) bool { return groups[p.part.CallID] }); len(without) < len(pieces) {
			pieces, changed = without, true
			edit.Drop = !slices.ContainsFunc(pieces, func(p piece) bool { return p.part.Kind != protocol.PartText || p.part.Text != "" })
		}
		for k := range pieces {
			if p := &pieces[k]; e.byCall != nil && p.part.Kind == protocol.PartCall && e.byCall(p.part.Name) {
				pieces[k], changed = dispatched(&p.part), true
			}
			if note := notes[i][pieces[k].place]; note != "" {
				named := pieces[k].part
				named.Content = []protocol.MessagePart{{Kind: protocol.PartText, Text: note}}
				pieces[k], changed = added(&named), true
			}
		}
		if changed {
			if !edit.Drop {
				edit.Parts = editParts(pieces)
			}
			all = append(all, edit)
		}
	}
	return all
}

// notes returns the references that replace repeated results, by message and part index,
// because IDs of calls may repeat. Results of groups are omitted.
func (e *editor) notes(groups map[string]bool) map[int]map[int]string {
	notes := map[int]map[int]string{}
	var repeats chats.Repeats
	for i := range e.messages {
		for k := range e.messages[i].Parts {
			p := &e.messages[i].Parts[k]
			if !e.repeats || p.Kind != protocol.PartResult || groups[p.CallID] || !onlyText(p.Content) {
				continue
			}
			if note := repeats.Note(chats.TextOf(p.Content)); note != "" {
				if notes[i] == nil {
					notes[i] = map[int]string{}
				}
				notes[i][k] = note
			}
		}
	}
	return notes
}

// onlyText reports whether all parts are texts.
func onlyText(parts []protocol.MessagePart) bool {
	return !slices.ContainsFunc(parts, func(p protocol.MessagePart) bool { return p.Kind != protocol.PartText })
}

// groupCalls returns the IDs of the calls of groups, if they are to be removed.
func (e *editor) groupCalls() map[string]bool {
	ids := map[string]bool{}
	if !e.dropGroups {
		return ids
	}
	for i := range e.messages {
		for k := range e.messages[i].Parts {
			if p := &e.messages[i].Parts[k]; p.Kind == protocol.PartCall && isGroup(p.Name) {
				ids[p.CallID] = true
			}
		}
	}
	return ids
}

func editParts(pieces []piece) []protocol.EditPart {
	parts := make([]protocol.EditPart, len(pieces))
	for i := range pieces {
		parts[i] = protocol.EditPart{Keep: max(pieces[i].place, 0), Part: pieces[i].raw}
	}
	return parts
}

// added returns a part that the host has not seen.
func added(part *protocol.MessagePart) piece { return piece{-1, *part, codec.Marshal(part)} }

// dispatched returns a call as the model made it by mcp_call.
func dispatched(call *protocol.MessagePart) piece {
	input := call.Input
	if len(input) == 0 {
		input = json.RawMessage(`{}`)
	}
	arguments := codec.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{call.Name, input})
	return added(&protocol.MessagePart{Kind: protocol.PartCall, CallID: call.CallID, Name: protocol.MetaCall, Input: arguments})
}

// restored inserts the rounds that VS Code never saw. VS Code has put the texts of all
// rounds into one message; each is moved back to its own round.
func restored(own []piece, in *protocol.InternalRounds) (before []protocol.EditMessage, parts []piece, after []protocol.EditMessage) {
	rounds := make([][]piece, len(in.Rounds))
	var said []piece
	for i, r := range in.Rounds {
		rounds[i] = piecesOf(r.Parts)
		said = append(said, rounds[i]...)
	}
	rest, ok := withoutText(own, textIn(said))
	if ok {
		own = withoutThinking(rest, said)
	}
	for i, r := range in.Rounds {
		raw := []json.RawMessage{}
		for _, p := range rounds[i] {
			if ok || p.part.Kind != protocol.PartText { // text that VS Code cut or changed is not repeated
				raw = append(raw, p.raw)
			}
		}
		before = append(append(before, protocol.EditMessage{Role: "assistant", Parts: raw}), results(r.Answers)...)
	}
	return before, append(own, piecesOf(in.Calls)...), results(in.Answers)
}

// piecesOf reads parts from the host. Unreadable ones are skipped.
func piecesOf(raw []json.RawMessage) []piece {
	var all []piece
	for _, r := range raw {
		p := piece{place: -1, raw: r}
		if codec.Unmarshal(r, &p.part) == nil {
			all = append(all, p)
		}
	}
	return all
}

// results returns the results of calls that Winnow answered, one message each.
func results(answers []protocol.CallAnswer) []protocol.EditMessage {
	var all []protocol.EditMessage
	for _, a := range answers {
		result := protocol.MessagePart{
			Kind: protocol.PartResult, CallID: a.Call, Content: []protocol.MessagePart{{Kind: protocol.PartText, Text: a.Text}},
		}
		all = append(all, protocol.EditMessage{Role: "user", Parts: []json.RawMessage{codec.Marshal(result)}})
	}
	return all
}

// withoutText removes words from the beginning of the text in parts. ok is false if the
// text does not begin with words.
func withoutText(parts []piece, words string) (rest []piece, ok bool) {
	if !strings.HasPrefix(textIn(parts), words) {
		return nil, false
	}
	left := len(words)
	for _, p := range parts {
		if p.part.Kind != protocol.PartText || left == 0 {
			rest = append(rest, p)
			continue
		}
		cut := min(left, len(p.part.Text))
		left -= cut
		if cut < len(p.part.Text) {
			rest = append(rest, added(&protocol.MessagePart{Kind: protocol.PartText, Text: p.part.Text[cut:]}))
		}
	}
	return rest, true
}

// withoutThinking removes the thinking that an internal round already contains.
func withoutThinking(parts, said []piece) []piece {
	return slices.DeleteFunc(parts, func(p piece) bool {
		return p.part.Kind == protocol.PartOther && p.part.Text != "" && slices.ContainsFunc(said, func(s piece) bool {
			return s.part.Kind == protocol.PartOther && s.part.Text == p.part.Text
		})
	})
}

func textIn(pieces []piece) string {
	var text strings.Builder
	for i := range pieces {
		if pieces[i].part.Kind == protocol.PartText {
			text.WriteString(pieces[i].part.Text)
		}
	}
	return text.String()
}

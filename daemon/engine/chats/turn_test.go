package chats

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// textPart is a part with a text.
func textPart(text string) protocol.MessagePart {
	return protocol.MessagePart{Kind: protocol.PartText, Text: text}
}

// callPart and resultPart are a call of a tool, and its result.
func callPart(id string) protocol.MessagePart {
	return protocol.MessagePart{Kind: protocol.PartCall, CallID: id, Name: "read", Input: json.RawMessage(`{"path":"a"}`)}
}

func resultPart(id string, content ...protocol.MessagePart) protocol.MessagePart {
	return protocol.MessagePart{Kind: protocol.PartResult, CallID: id, Content: content}
}

// readTurn is a turn with thinking, a call, and a picture in its result.
func readTurn() []protocol.MessageDigest {
	return []protocol.MessageDigest{
		said("user", "read it"),
		{Role: "assistant", Parts: []protocol.MessagePart{{Kind: protocol.PartOther, Text: "hm"}, textPart("I read."), callPart("1")}},
		{Role: "user", Parts: []protocol.MessagePart{resultPart("1", textPart("words"), protocol.MessagePart{Kind: protocol.PartData, MimeType: "image/png", Sha256: "ab", Length: 3})}},
		said("assistant", "Done."),
	}
}

// begun returns the messages after a past turn, without the system prompt and the new
// message.
func begun(past ...protocol.ChatTurn) []protocol.MessageDigest {
	messages := BeginTurn(&protocol.ChatBeginParams{Prompt: "next", Past: past}).Messages
	return messages[1 : len(messages)-1]
}

// TestKeepTurn: what is kept of a turn is sent again, but for what only its model knew,
// and has the digest of what it was.
func TestKeepTurn(t *testing.T) {
	kept := KeepTurn(&protocol.ChatKeepParams{Messages: readTurn(), Ending: protocol.ChatAnswered})
	got := begun(protocol.ChatTurn{Prompt: "p", Answer: "a", Record: &protocol.ChatRecord{Messages: kept.Messages}})
	want := []protocol.MessageDigest{
		said("user", "read it"),
		{Role: "assistant", Parts: []protocol.MessagePart{textPart("I read."), callPart("1")}},
		{Role: "user", Parts: []protocol.MessagePart{resultPart("1", textPart("words[image/png that was shown before]"))}},
		said("assistant", "Done."),
	}
	turn := readTurn()
	want[2].Digest = digestVSCode(&turn[2], nil).Digest
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if want[2].Digest == "" || digestVSCode(&got[2], nil).Digest != want[2].Digest {
		t.Error("a later request does not know the result by what it was")
	}
}

// TestKeepTurn_results: each call has a result, whatever ended the turn.
func TestKeepTurn_results(t *testing.T) {
	calls := protocol.MessageDigest{Role: "assistant", Parts: []protocol.MessagePart{callPart("1"), callPart("2"), callPart("3")}}
	for _, c := range []struct {
		name   string
		params protocol.ChatKeepParams
		want   []string
	}{
		{"too many rounds", protocol.ChatKeepParams{Ending: protocol.ChatRounds}, []string{notMadeRounds, notMadeRounds, notMadeRounds}},
		{"cancelled before", protocol.ChatKeepParams{Ending: protocol.ChatCancelled}, []string{notMadeCancelled, notMadeCancelled, notMadeCancelled}},
		{
			"cancelled in between",
			protocol.ChatKeepParams{Ending: protocol.ChatCancelled, Interrupted: "2", Messages: []protocol.MessageDigest{
				{Role: "user", Parts: []protocol.MessagePart{resultPart("1", textPart("done"))}},
			}},
			[]string{"done", interrupted, notMadeCancelled},
		},
	} {
		c.params.Messages = append([]protocol.MessageDigest{said("user", "go"), calls}, c.params.Messages...)
		kept := KeepTurn(&c.params).Messages
		var got []string
		for i, p := range kept[len(kept)-1].Parts {
			if p.CallID != calls.Parts[i].CallID {
				t.Errorf("%s: result %d is of call %s", c.name, i, p.CallID)
			}
			got = append(got, p.Text)
		}
		if len(kept) != 3 || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q in %d messages, want %q", c.name, got, len(kept), c.want)
		}
	}
}

// TestKeepTurn_long: long results are cut, the oldest first, between characters.
func TestKeepTurn_long(t *testing.T) {
	var messages []protocol.MessageDigest
	for _, c := range []string{"a€", "b", "c"} {
		messages = append(messages, protocol.MessageDigest{Role: "user", Parts: []protocol.MessagePart{resultPart(c, textPart(strings.Repeat(c, 25_000/len(c))))}})
	}
	kept := KeepTurn(&protocol.ChatKeepParams{Messages: messages}).Messages
	var sizes []int
	for i := range kept {
		sizes = append(sizes, len(kept[i].Parts[0].Text))
	}
	if sizes[0] > shortResult+100 || sizes[1] != 25_000 || sizes[2] != 25_000 {
		t.Errorf("the results have %d bytes", sizes)
	}
	if short := kept[0].Parts[0].Text; !strings.HasPrefix(short, "a€") || strings.ContainsRune(short, '\uFFFD') || strings.ToValidUTF8(short, "") != short {
		t.Errorf("cut to %q", short)
	}
}

// TestBeginTurn: the message holds each attachment; without a record, a past turn is what
// the user saw.
func TestBeginTurn(t *testing.T) {
	got := BeginTurn(&protocol.ChatBeginParams{
		Prompt: "What is this?", Folders: []string{"/w"},
		Attached: []protocol.ChatAttachment{
			{Name: "notes.md", Text: "# Notes"}, {Name: "a & b", Picture: true}, {Name: "a.zip", Problem: "no idea"}, {Name: "long", Text: strings.Repeat("x", 40_000)},
		},
		Past: []protocol.ChatTurn{{Prompt: "hello", Answer: "hi"}},
	})
	if len(got.Messages) != 4 || !reflect.DeepEqual(got.Messages[1:3], []protocol.MessageDigest{said("user", "hello"), said("assistant", "hi")}) {
		t.Fatalf("got %d messages, %+v", len(got.Messages), got.Messages[1:3])
	}
	if system := TextOf(got.Messages[0].Parts); got.Messages[0].Role != "system" || !strings.HasSuffix(system, "\nThe open folders: `/w`.") {
		t.Errorf("the instructions are %q", system)
	}
	read := TextOf(got.Messages[3].Parts)
	begins := "<attachment name=\"notes.md\">\n# Notes\n</attachment>\n\n<attachment name=\"a & b\">\n[a picture, which follows]\n</attachment>\n\n" +
		"<attachment name=\"a.zip\">\n[cannot be read: no idea]\n</attachment>\n\n<attachment name=\"long\">\nx"
	if ends := "x\n[… cut]\n</attachment>\n\nWhat is this?"; !strings.HasPrefix(read, begins) || !strings.HasSuffix(read, ends) {
		t.Errorf("the message is %.300q", read)
	}
	if want := []string{"a.zip is not sent: no idea."}; !reflect.DeepEqual(got.Warnings, want) {
		t.Errorf("got the warnings %q, want %q", got.Warnings, want)
	}
	if plain := BeginTurn(&protocol.ChatBeginParams{Prompt: "hi"}).Messages; TextOf(plain[1].Parts) != "hi" {
		t.Errorf("a message without attachments is %q", TextOf(plain[1].Parts))
	}
}

// TestBeginTurn_overflow: what does not fit is left out in one go, and stays left out.
func TestBeginTurn_overflow(t *testing.T) {
	var past []protocol.ChatTurn
	for range 10 { // of 4 tokens for the message and 96 for the text
		past = append(past, protocol.ChatTurn{Prompt: strings.Repeat("x", 384)})
	}
	for _, c := range []struct{ before, window, want int }{
		{0, 1667, 0}, {0, 1500, 6}, {6, 1500, 6}, {0, 0, 0}, {0, 10, 10},
	} {
		past[9].Record = &protocol.ChatRecord{Messages: []protocol.MessageDigest{said("user", past[9].Prompt)}, Dropped: c.before}
		got := BeginTurn(&protocol.ChatBeginParams{Past: past, ContextTokens: c.window})
		if got.Dropped != c.want || len(got.Messages) != 2+10-c.want {
			t.Errorf("a window of %d tokens, %d left out before: %d left out, want %d", c.window, c.before, got.Dropped, c.want)
		}
	}
}

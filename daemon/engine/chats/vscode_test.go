package chats

import (
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func text(s string) protocol.MessagePart {
	return protocol.MessagePart{Kind: protocol.PartText, Text: s}
}

func call(id, name, input string) protocol.MessagePart {
	return protocol.MessagePart{Kind: protocol.PartCall, CallID: id, Name: name, Input: []byte(input)}
}

func result(id string, content ...protocol.MessagePart) protocol.MessagePart {
	return protocol.MessagePart{Kind: protocol.PartResult, CallID: id, Content: content}
}

func message(role string, parts ...protocol.MessagePart) protocol.MessageDigest {
	return protocol.MessageDigest{Role: role, Parts: parts}
}

// read returns what is read of the messages of VS Code's agent in a chat.
func read(messages ...protocol.MessageDigest) *protocol.ConversationRouteParams {
	p := &protocol.ConversationRouteParams{Conversation: "chat", Initiator: "GitHub.copilot-chat", Messages: messages}
	ReadVSCode(p, nil)
	return p
}

func digest(m protocol.MessageDigest) string { return read(m).Messages[0].Digest }

// TestReadVSCode: each message has the role that turns are counted by, names its
// calls as the model made them, and says whether it stands for others.
func TestReadVSCode(t *testing.T) {
	t.Parallel()
	const summary = "<conversation-summary>\nWe wrote a page.\n</conversation-summary>"
	got := read(
		message("system", text("You are an agent.")), message("user", text("<context>x</context><userRequest>\ngo\n</userRequest>")),
		message("assistant", text(""), call("c1__vscode-1717171717", "read_file", `{}`), call("c2", "mcp_web_click", `{}`)),
		message("user", result("c1__vscode-1717171717", text("done"))), message("user", text(summary)), message("assistant", text(summary)),
	)
	if got.Message != "" || read(message("user", text("a <userRequest>\ngo\n</userRequest>"))).Message != "go" {
		t.Errorf("got the words %q, want none of a summary, and those of the user's", got.Message)
	}
	roles, summaries := []string{}, []bool{}
	for _, m := range got.Messages {
		roles, summaries = append(roles, m.Role), append(summaries, m.Summary)
	}
	if want := []string{"system", "user", "assistant", "tool", "user", "assistant"}; !reflect.DeepEqual(roles, want) {
		t.Errorf("got the roles %q, want %q", roles, want)
	}
	if want := []bool{false, false, false, false, true, false}; !reflect.DeepEqual(summaries, want) {
		t.Errorf("got the summaries %v, want %v", summaries, want)
	}
	if want := []protocol.MessageCall{{ID: "c1", Name: "read_file"}, {ID: "c2", Name: "mcp_web_click"}}; !reflect.DeepEqual(got.Messages[2].Calls, want) {
		t.Errorf("got the calls %v, want %v", got.Messages[2].Calls, want)
	}
	for i, m := range got.Messages {
		if m.Parts != nil || m.Digest == "" {
			t.Errorf("message %d: got %+v, want a digest in place of its parts", i, m)
		}
	}
	named := protocol.MessageDigest{Role: "user", Digest: "mine", Parts: []protocol.MessagePart{result("c1")}}
	if m := read(named).Messages[0]; m.Digest != "mine" || m.Role != "tool" {
		t.Errorf("got %+v, want the digest that its client gave it", m)
	}
}

// TestReadVSCode_digest: a message keeps its digest while the chat goes on, and
// one that says something else has another.
func TestReadVSCode_digest(t *testing.T) {
	t.Parallel()
	image := protocol.MessagePart{Kind: protocol.PartData, MimeType: "image/png", Sha256: "ab", Length: 3}
	other := image
	other.Sha256 = "cd"
	thinking := protocol.MessagePart{Kind: protocol.PartOther, Text: "hm"}
	agent := func(more string) protocol.MessageDigest {
		return message("system", text("You are an agent.\n<instructions>\nBe short.\n</instructions>\n"+more))
	}
	for name, tt := range map[string]struct {
		a, b protocol.MessageDigest
		same bool
	}{
		"other words":     {message("user", text("go")), message("user", text("go on")), false},
		"other arguments": {message("assistant", call("c", "f", `{"a":1}`)), message("assistant", call("c", "f", `{"a":2}`)), false},
		"an image that VS Code drops from a result after its turn": {
			message("user", result("c1", text("Here it is:"), image, text("\n[Image URI: vscode-chat://x/file.png]That was it."))),
			message("user", result("c1", text("Here it is:[Image was previously shown to you. Image URI: vscode-chat://x/file.png]That was it."))), true,
		},
		"an image of the user's":              {message("user", text("look"), image), message("user", text("look")), false},
		"another image":                       {message("user", image), message("user", other), false},
		"thinking":                            {message("assistant", thinking, text("ok")), message("assistant", text("ok")), true},
		"skills that are found":               {agent(""), agent("<skills>setup</skills>"), true},
		"another agent":                       {agent(""), message("system", text("You are another agent.")), false},
		"prompts that begin with a section":   {message("system", text("<role>One</role>")), message("system", text("<role>Two</role>")), false},
		"what the client adds in its own way": {message("user", text("<context>10:00</context>go")), message("user", text("<context>10:01</context>go")), true},
	} {
		if a, b := digest(tt.a), digest(tt.b); (a == b) != tt.same {
			t.Errorf("%s: got %s and %s, want one digest: %v", name, a, b, tt.same)
		}
	}
}

// TestReadVSCode_conversation: the id of a chat is VS Code's, with what tells its
// agents apart. Conversations of earlier versions are kept under these.
func TestReadVSCode_conversation(t *testing.T) {
	t.Parallel()
	const agent = "You are an expert.\r\nWhen asked, you must state that you are using One (Winnow).\nlog: VSCODE_TARGET=1\n<instructions>Be brief.</instructions>"
	const cook = "You are an agent.\n<instructions>Be brief.</instructions><modeInstructions>\nYou are currently running in \"Cook\" mode. Cook.</modeInstructions>"
	for prompt, want := range map[string]string{
		agent: "chat#conex3z3yPzJXb0Lcn5KBF",
		strings.NewReplacer("One", "Two", "=1", "=2", "Be brief", "Use the terminal").Replace(agent): "chat#conex3z3yPzJXb0Lcn5KBF",
		cook: "chat#Ge2DZXTPfjUyp4NX92y0xu",
		strings.Replace(cook, " Cook.", " Cook with care.", 1): "chat#Ge2DZXTPfjUyp4NX92y0xu",
	} {
		if got := read(message("system", text(prompt)), message("user", text("go"))); got.Conversation != want {
			t.Errorf("%q: got %q, want %q", prompt, got.Conversation, want)
		}
	}
	if got := read(message("system", text(cook))); got.Agent != "Cook" {
		t.Errorf("got the agent %q, want Cook", got.Agent)
	}
	p := &protocol.ConversationRouteParams{Conversation: "winnow:1", Messages: []protocol.MessageDigest{message("system", text(cook))}}
	if ReadVSCode(p, nil); p.Conversation != "winnow:1" || p.Agent != "" {
		t.Errorf("got %q and %q of a client that is no extension, want its own id, and no agent", p.Conversation, p.Agent)
	}
}

// BenchmarkReadVSCode takes a megabyte of a chat of 256 messages.
func BenchmarkReadVSCode(b *testing.B) {
	line := "if (a < b && <T>(c) => d) { return `<div class=x>${e}</div>`; } // what a line of code looks like\n"
	said := strings.Repeat(line, 4<<10/len(line))
	b.SetBytes(1 << 20)
	for b.Loop() {
		p := &protocol.ConversationRouteParams{}
		for range 256 {
			p.Messages = append(p.Messages, message("user", result("c", text(said))))
		}
		ReadVSCode(p, nil)
	}
}

// TestReadVSCode_kept: chats are kept by these names, which an earlier version gave
// them. Others would lose the tools and the hidden rounds of all saved chats.
func TestReadVSCode_kept(t *testing.T) {
	t.Parallel()
	const prompt = "You are an agent.\n\tWhen asked for your name, you are using GPT. <b>\n\n In %VSCODE_TARGET% <instructions>\nbe short\n</instructions>" +
		"\n<modeInstructions>\nYou are currently running in \"Review\" mode.\n</modeInstructions>"
	for name, tt := range map[string]struct {
		prompt, id, system string
	}{
		"sections":                  {prompt, "chat#-Bjb8nn75htcC_7UNjGFag", "sIoTDaRm8JKhLmErWhfrGHys"},
		"no words before a section": {"<x>\n a  b\n</x>", "chat#PRcVSpoIurV3PRITyWslPP", "jHSqyciX2wcOhm5hi55361_y"},
		"nothing that varies":       {"You  are\f\r\n an agent. ", "chat#NHZsWbE8ArB-6d-OZ530YB", "Nqb81rGBqyvbui_3YA_LMcqa"},
	} {
		got := read(
			message("system", text(tt.prompt)),
			message("user", text("<context>\nlate\n</context>\n<userRequest>\nread  it\n</userRequest>")),
			message("assistant", text("So. "), text("On."), call("c1__vscode-1", "read_file", `{"b": 1, "a": "é"}`)),
			message("user", result("c1__vscode-1", text("line\n[Image was previously shown]"), text(" two"))),
			message("user", protocol.MessagePart{Kind: protocol.PartData, MimeType: "image/png", Sha256: "ab", Length: 3}),
		)
		var digests []string
		for _, m := range got.Messages {
			digests = append(digests, m.Digest)
		}
		want := []string{tt.system, "DokxL73lVW8i3udy3W0lTN_s", "qYvYtIQ6A0sVGa69G_jxJ5mD", "lxesYyTdiXWO3owyjhFVksLd", "hVnGaf8d2Q-yZ6232y_wWHl8"}
		if got.Conversation != tt.id || !reflect.DeepEqual(digests, want) {
			t.Errorf("%s: got %q, %q, want %q, %q", name, got.Conversation, digests, tt.id, want)
		}
	}
}

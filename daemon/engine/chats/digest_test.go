package chats

import "testing"

// What says the same has one digest, and what does not has another.
func TestDigest(t *testing.T) {
	text := func(texts ...string) []Part {
		var parts []Part
		for _, s := range texts {
			parts = append(parts, Part{Kind: Text, Text: s})
		}
		return parts
	}
	call := func(name, arguments string) []Part { return []Part{{Kind: Call, Name: name, Text: arguments}} }
	result := func(text string) []Part { return []Part{{Kind: Result, Text: text}} }
	data := func(text string) []Part { return []Part{{Kind: Data, Text: text}} }
	for _, tt := range []struct {
		name string
		a, b []Part
		same bool
	}{
		{"one text in parts", text("open the page\nand wait"), text("open the page", "and wait\n"), true},
		{"two texts", text("open the page"), text("close the page"), false},
		{"with the client's own", text("open it"), text("<system-reminder>be quick</system-reminder>", "open it"), true},
		{"a reminder in a result", result("done"), result("done\n<system-reminder>mind the file</system-reminder>"), true},
		{"two summaries", text("<conversation-summary>of tea</conversation-summary>"), text("<conversation-summary>of milk</conversation-summary>"), false},
		{"other markup", text("<b>open</b>"), text("open"), false},
		{"an element that does not end", text("a <context> b"), text("a"), false},
		{"the order of keys", call("f", `{"a":1,"b":{"c":2,"d":[]}}`), call("f", `{ "b": {"d": [], "c": 2}, "a": 1 }`), true},
		{"no arguments", call("f", ""), call("f", "{}"), true},
		{"other arguments", call("f", `{"id":1}`), call("f", `{"id":2}`), false},
		{"another tool", call("f", `{}`), call("g", `{}`), false},
		{"a result's keys", result(`{"a":1,"b":2}`), result(`{"b":2,"a":1}`), true},
		{"a result and a text", result("done"), text("done"), false},
		{"two pictures", data(`{"data":"aaa"}`), data(`{"data":"bbb"}`), false},
		{"where a call stands among texts", append(text("a"), append(call("f", ""), text("b")...)...), append(text("a", "b"), call("f", "")...), false},
		{"fields that run together", call("ab", `"c"`), call("a", `"bc"`), false},
	} {
		if a, b := Digest(tt.a), Digest(tt.b); (a == b) != tt.same {
			t.Errorf("%s: got %s and %s, want one digest: %v", tt.name, a, b, tt.same)
		}
	}
}

// BenchmarkDigest takes a megabyte of a chat about code, 4 kB a message.
func BenchmarkDigest(b *testing.B) {
	line := "if (a < b && <T>(c) => d) { return `<div class=x>${e}</div>`; } // what a line of code looks like\n"
	message := ""
	for len(message) < 4<<10 {
		message += line
	}
	b.SetBytes(1 << 20)
	for b.Loop() {
		for range 256 {
			Digest([]Part{{Kind: Text, Text: message}})
		}
	}
}

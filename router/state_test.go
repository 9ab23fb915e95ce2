package router

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// roundTrip sends a task's state through JSON, as a host keeps it.
func roundTrip(t *testing.T, task *Task) Task {
	t.Helper()
	var state protocol.TaskState
	if err := json.Unmarshal(marshal(task.State()), &state); err != nil {
		t.Fatalf("decode the state: %v", err)
	}
	restored, err := Restore(&state)
	if err != nil {
		t.Fatalf("restore: %v", err)
	}
	return restored
}

// TestTask_StateRoundTrip: a restored task has the same tools in the same
// order, byte for byte, and goes on as the other would have.
func TestTask_StateRoundTrip(t *testing.T) {
	t.Parallel()
	odd := ServerInput{Name: "odd", Tools: []json.RawMessage{json.RawMessage(
		"{\"name\":\"o d d\",\"description\":\"<b>&\u2028 zebra\",\"inputSchema\" : {\n\t\"type\": \"object\", \"x\": \"<&>\\u00e9\"}}")}}
	c := catalogOf(numbered("s", 0, 200), odd)
	for _, edit := range []func(*protocol.Settings){searchTurns(7), topKOf(15), searchTurns(0), searchTurns(2)} {
		v := viewOf(c, edit)
		task := v.Open(Opening{ID: "t", Message: words(0, 5), Model: protocol.ModelLimits{MaxTools: 100, NativeTools: 3, ContextTokens: 9},
			Choices: protocol.TaskChoices{Pinned: refs("odd", "o d d"), Disabled: refs("s", "s_zqbbb")}, Called: []ToolID{ref("s", "s_zqmmm")}})
		task.Conversation, task.Messages, task.ModeAsked = "c", []protocol.MessageDigest{{Role: "user", Digest: "d"}}, "ask"
		task = v.Turn(task, "zebra "+words(20, 5)).Call(ref("s", "s_zqbbc"))
		task, _ = v.Load(task, Request{Query: words(100, 3)})
		task.Warnings = nil // they were for the user, at that turn
		restored := roundTrip(t, &task)
		wantSame(t, "attachment", v.Attachment(&restored), v.Attachment(&task))
		wantSame(t, "explanation", v.Explain(&restored), v.Explain(&task))
		wantSame(t, "usage", v.TokenUsage(&restored, nil), v.TokenUsage(&task, nil))

		other := viewOf(catalogOf(numbered("new", 300, 5)), edit)
		wantSame(t, "attachment under another catalogue", other.Attachment(&restored).Tools, v.Attachment(&task).Tools)
		for turn := range 8 {
			task, restored = v.Turn(task, words(30*turn, 9)), v.Turn(restored, words(30*turn, 9))
			wantSame(t, fmt.Sprintf("attachment %d turns later", turn+1), v.Attachment(&restored), v.Attachment(&task))
		}
		task, restored = v.Compact(task, ""), v.Compact(restored, "")
		wantSame(t, "attachment after a compaction", v.Attachment(&restored), v.Attachment(&task))
	}
}

// TestTask_StateIsBounded: however much is pasted into a task, what a host has
// to keep stays small.
func TestTask_StateIsBounded(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(serverOf("s", "a")))
	task := Task{ID: "t"}
	for range 30 {
		task = v.Turn(task, strings.Repeat("a pasted log ", 100_000))
	}
	if n := len(marshal(task.State())); n > 64<<10 {
		t.Errorf("the state takes %d bytes", n)
	}
}

// TestRestore_Refuses what no task can have been, with a reason.
func TestRestore_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		edit func(*protocol.TaskState)
		want string
	}{
		{"an older form", func(s *protocol.TaskState) { s.Version = 0 }, "version 0"},
		{"a newer form", func(s *protocol.TaskState) { s.Version = stateVersion + 1 }, "version 2"},
		{"no id", func(s *protocol.TaskState) { s.Task = "" }, "names no task"},
		{"turn 0", func(s *protocol.TaskState) { s.Turn = 0 }, "turn 0"},
		{"a negative turn", func(s *protocol.TaskState) { s.Turn, s.Window = -5, -5 }, "turn -5"},
		{"a turn that would cost gigabytes", func(s *protocol.TaskState) { s.Turn = 1 << 40 }, "turn 1099511627776"},
		{"no window", func(s *protocol.TaskState) { s.Window = 0 }, "0 turns into"},
		{"a window longer than the task", func(s *protocol.TaskState) { s.Window = 3 }, "3 turns into"},
		{"a subject behind the window", func(s *protocol.TaskState) { s.SubjectAt = 2 }, "1 turns into"},
		{"unknown routing", func(s *protocol.TaskState) { s.Routing = "magic" }, `routing "magic"`},
	}
	for _, tt := range tests {
		task := viewOf(catalogOf(serverOf("s", "a"))).Open(Opening{ID: "t", Message: "x"})
		state := task.State()
		tt.edit(state)
		_, err := Restore(state)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "open a new") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestRestore_Incomplete: a state that lacks what a task can do without is
// restored, and what is made of it can be sent.
func TestRestore_Incomplete(t *testing.T) {
	t.Parallel()
	var state protocol.TaskState
	raw := `{"version":1,"task":"t","turn":1,"window":1,"routing":"dynamic","tools":[{"name":"x"}]}`
	if err := json.Unmarshal([]byte(raw), &state); err != nil {
		t.Fatal(err)
	}
	task, err := Restore(&state)
	if err != nil {
		t.Fatal(err)
	}
	v := viewOf(catalogOf(numbered("s", 0, 60)))
	task = v.Turn(task, "common")
	if _, err := json.Marshal(v.Attachment(&task)); err != nil {
		t.Errorf("the attachment cannot be sent: %v", err)
	}
}

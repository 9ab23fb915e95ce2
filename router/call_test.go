package router

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// earlyCallOf sets what becomes of a call of a tool that is not attached.
func earlyCallOf(policy protocol.EarlyCall) func(*protocol.Settings) {
	return func(s *protocol.Settings) { s.EarlyCall = policy }
}

// TestView_EarlyCall: the three answers to a call of a known tool that is not
// attached yet, with room and without.
func TestView_EarlyCall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		policy   protocol.EarlyCall
		max      int
		action   Action
		attached bool
		kind     protocol.ErrorKind // refused, when not empty
	}{
		{"attach", protocol.EarlyCallAttach, 128, Run, true, ""},
		{"attach without room still runs", protocol.EarlyCallAttach, 31, Run, false, ""},
		{"retry", protocol.EarlyCallRetry, 128, Retry, true, ""},
		{"retry without room", protocol.EarlyCallRetry, 31, Run, false, protocol.KindLimit},
		{"refuse", protocol.EarlyCallRefuse, 128, Run, false, protocol.KindNotAttached},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := loadView(earlyCallOf(tt.policy), maxTools(tt.max))
			task := v.Open(Opening{ID: "t", Message: words(0, 30)})
			id := ref("github", "create_issue")
			next, d, err := v.Call(task, "create_issue")
			var refusal *Refusal
			if tt.kind != "" {
				if !errors.As(err, &refusal) || refusal.Kind != tt.kind || refusal.ID != id || refusal.Next == "" {
					t.Errorf("answered by %+v, want %s", err, tt.kind)
				}
			} else if err != nil || d.Action != tt.action || d.ID != id {
				t.Errorf("%+v, %v", d, err)
			}
			if got := next.Has(id) >= 0; got != tt.attached {
				t.Errorf("attached: %v", got)
			}
			if tt.attached {
				if a := next.Attached[next.Has(id)]; a.Reason != protocol.ReasonEarlyCall || next.Generation != task.Generation+1 {
					t.Errorf("%+v", a)
				}
				if _, d, err := v.Call(next, "create_issue"); err != nil || d.Action != Run {
					t.Errorf("the next call: %+v, %v", d, err)
				}
			} else if next.Generation != task.Generation {
				t.Error("the generation changed")
			}
			if tt.action == Retry && (!strings.Contains(d.Text, "create_issue was not attached") ||
				!strings.Contains(d.Text, string(v.Catalog.tool(id).Schema))) {
				t.Errorf("text %q", d.Text)
			}
		})
	}
}

// TestView_Call: what a call means, by the name that the model gives.
func TestView_Call(t *testing.T) {
	t.Parallel()
	v := loadView(earlyCallOf(protocol.EarlyCallRefuse))
	task := v.Open(Opening{ID: "t", Message: words(0, 30)})
	for _, name := range []string{"s_zqbbb", "s-zqbbb", "mcp__s__s_zqbbb", "functions.s_zqbbb", "s/s_zqbbb", "S_ZQBBB"} {
		next, d, err := v.Call(task, name)
		if err != nil || d != (Decision{ID: ref("s", "s_zqbbb")}) || next.Generation != task.Generation {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	for name, next := range map[string]string{
		"create_isue": "Did you mean create_issue?", "xyzzy": "Search with mcp_load.", "": "Search with mcp_load.",
	} {
		_, _, err := v.Call(task, name)
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Kind != protocol.KindUnknownTool || refusal.Next != next ||
			!strings.Contains(refusal.Error(), `"`+name+`"`) {
			t.Errorf("%q is answered by %+v", name, err)
		}
	}
	_, _, err := v.Call(task, strings.Repeat("long", 1000))
	if err == nil || len(err.Error()) > 120 {
		t.Errorf("a long name is echoed: %v", err)
	}
}

// TestView_CallWithoutRouting: where nothing is chosen, a tool that came after
// the turn began runs whatever the policy says.
func TestView_CallWithoutRouting(t *testing.T) {
	t.Parallel()
	before, after := viewOf(catalogOf(numbered("s", 0, 10))), viewOf(catalogOf(numbered("s", 0, 11)), earlyCallOf(protocol.EarlyCallRefuse))
	task := before.Open(Opening{ID: "t", Message: "hello"})
	next, d, err := after.Call(task, "s_zqbcb")
	if err != nil || d.Action != Run || len(next.Attached) != 11 {
		t.Errorf("%+v, %v, %d tools", d, err, len(next.Attached))
	}
}

// TestView_SuggestsNothingForbidden: a wrong name is not answered by the name
// of a tool that the user switched off.
func TestView_SuggestsNothingForbidden(t *testing.T) {
	t.Parallel()
	v := loadView()
	task := v.Open(Opening{ID: "t", Message: "hello"})
	_, _, err := v.Call(task, "forbidden_things_thing")
	var refusal *Refusal
	if !errors.As(err, &refusal) || strings.Contains(refusal.Next, "forbidden") {
		t.Errorf("%+v", err)
	}
	_, loaded := v.Load(task, Request{Names: []string{"forbidden_things_thing"}})
	if strings.Contains(loaded.Text, "forbidden_thing,") || strings.Contains(loaded.Text, "mean forbidden") {
		t.Errorf("%s", loaded.Text)
	}
}

// TestView_RefusesInPlainWords: a refusal says what is the matter without names of
// settings, and what to change with them.
func TestView_RefusesInPlainWords(t *testing.T) {
	t.Parallel()
	v := loadView()
	_, _, err := v.Call(v.Open(Opening{ID: "t", Message: "hello"}), "forbidden_thing")
	var refusal *Refusal
	if !errors.As(err, &refusal) || !strings.HasSuffix(refusal.Message, "may not be called: switched off in its server's entry") ||
		refusal.Next != `Change that to allow the tool: disabledTools of server "off".` {
		t.Errorf("%+v", err)
	}
}

// TestView_Find names the tool that a name means, in or out of scope.
func TestView_Find(t *testing.T) {
	t.Parallel()
	v := loadView()
	task := v.Open(Opening{ID: "t", Message: words(0, 30)})
	for name, want := range map[string]ToolID{
		"forbidden_thing": ref("off", "forbidden_thing"), "create-issue": ref("github", "create_issue"), "s_zqbbb": ref("s", "s_zqbbb"),
	} {
		if got, err := v.Find(&task, name); err != nil || got != want {
			t.Errorf("%s means %v, %v", name, got, err)
		}
	}
	if id, err := v.Find(&task, "xyzzy"); err == nil || id != (ToolID{}) {
		t.Errorf("xyzzy means %v", id)
	}
}

package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// written is the JSON of one setting, in its groups.
func written(name string, value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	for _, group := range slices.Backward(strings.Split(name, ".")[1:]) {
		raw = fmt.Appendf(nil, "{%q:%s}", group, raw)
	}
	return raw
}

// values lists two values of a setting, the stricter one first where it has any.
func values(t *testing.T, l leaf) (strict, lax any) {
	t.Helper()
	order := strings.Split(l.field.Tag.Get("restricted"), ",")
	switch l.field.Type.Kind() {
	case reflect.Bool:
		return order[0] == "true", order[0] != "true"
	case reflect.Slice:
		return []string{"a"}, []string{"a", "b"}
	case reflect.Int:
		return 42, 43
	}
	words := enums()[l.field.Type]
	switch {
	case words == nil:
		return "one", "other"
	case order[0] == "":
		return words[0], words[1]
	}
	return order[0], words[slices.IndexFunc(words, func(w string) bool { return w != order[0] })]
}

// TestApply_scopes: of each setting the right one of two wins, whoever of user
// and workspace has which.
func TestApply_scopes(t *testing.T) {
	t.Parallel()
	defaults := protocol.DefaultSettings()
	for name, l := range leaves("winnow", reflect.ValueOf(&defaults).Elem()) {
		if l.field.Type.Kind() == reflect.Map {
			continue // TestApply_maps
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			strict, lax := values(t, l)
			restricted, machine := l.field.Tag.Get("restricted") != "", l.field.Tag.Get("scope") == "machine"
			for _, tt := range []struct{ user, workspace, want any }{
				{strict, lax, lax}, {lax, strict, strict}, {strict, nil, strict},
			} {
				if restricted && tt.workspace != nil || machine {
					tt.want = strict
				}
				if machine {
					tt.want = tt.user
				}
				s := NewStore()
				workspace := json.RawMessage(`{}`)
				if tt.workspace != nil {
					workspace = written(name, tt.workspace)
				}
				problems := s.Apply(written(name, tt.user), workspace)
				got := find(s.Load(), name).value.Interface()
				if name == "winnow.searchTurns" || name == "winnow.enabled" {
					continue // one is what the other makes of it
				}
				if fmt.Sprint(got) != fmt.Sprint(tt.want) {
					t.Errorf("user %v, workspace %v: %v, want %v", tt.user, tt.workspace, got, tt.want)
				}
				differ := tt.workspace != nil && (restricted || machine)
				if (len(problems) == 1) != differ || differ && (problems[0].Setting != name || problems[0].Next == "") {
					t.Errorf("user %v, workspace %v: told %+v", tt.user, tt.workspace, problems)
				}
				if again := s.Apply(nil, nil); len(again) > 0 {
					t.Errorf("told again: %+v", again)
				}
			}
		})
	}
}

// TestApply_maps: of a server's members the stricter counts, of the user's and the
// workspace's, and where one of them does not name the server what that one says of
// all servers.
func TestApply_maps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ user, workspace, want, told string }{
		{`{"gateway.confirmWritesFor.s":"never"}`, `{}`, "never", ""},
		{`{"gateway.confirmWritesFor.s":"never"}`, `{"gateway.confirmWritesFor.other":"always"}`, "never", ""},
		{`{"gateway.confirmWritesFor.s":"never"}`, `{"gateway.confirmWrites":"never"}`, "never", "winnow.gateway.confirmWrites is never in the workspace's"},
		{`{"gateway.confirmWritesFor.s":"never"}`, `{"gateway.confirmWrites":"always"}`, "always", "confirmWritesFor.s is never in your settings"},
		{`{"gateway.confirmWritesFor.s":"never"}`, `{"gateway.confirmWritesFor.s":"dispatched"}`, "dispatched", "confirmWritesFor.s is never in your settings"},
		{`{"gateway.confirmWritesFor.s":"always"}`, `{"gateway.confirmWritesFor.s":"never"}`, "always", "confirmWritesFor.s is never in the workspace's settings"},
		{`{"gateway.confirmWritesFor.s":"always"}`, `{"gateway.confirmWritesFor":{"s":null}}`, "always", ""},
		{`{}`, `{"gateway.confirmWritesFor.s":"never"}`, "dispatched", "confirmWritesFor.s is never in the workspace's settings"},
		{`{}`, `{"gateway.confirmWritesFor.s":"always"}`, "always", ""},
		{`{"gateway.confirmWrites":"always"}`, `{"gateway.confirmWritesFor.s":"dispatched"}`, "always", "confirmWritesFor.s is dispatched in the workspace's"},
		{`{"gateway.confirmWrites":"never"}`, `{"gateway.confirmWritesFor.s":"dispatched"}`, "dispatched", ""},
	} {
		s := NewStore()
		problems := s.ApplyFiles([]Text{{File: "user", Raw: json.RawMessage(tt.user)}}, []Text{{File: "theirs", Raw: json.RawMessage(tt.workspace)}})
		if got := s.Load().Gateway.Confirms("s"); string(got) != tt.want {
			t.Errorf("user %s, workspace %s: %s, want %s", tt.user, tt.workspace, got, tt.want)
		}
		switch {
		case tt.told == "" && len(problems) == 0:
		case tt.told == "" || len(problems) == 0 || !strings.Contains(problems[len(problems)-1].Message, tt.told):
			t.Errorf("user %s, workspace %s: told %+v, want %q", tt.user, tt.workspace, problems, tt.told)
		}
		// What one scope says does not reach the other's, or a store that comes after.
		if got := NewStore().Load().Gateway; len(got.ConfirmWritesFor) > 0 {
			t.Fatalf("the defaults hold %v", got.ConfirmWritesFor)
		}
	}
	// The editor's members lie over the file's.
	s := NewStore()
	s.Apply(json.RawMessage(`{"gateway":{"confirmWritesFor":{"a":"never"}}}`), nil)
	s.ApplyFiles([]Text{{File: "user", Raw: json.RawMessage(`{"gateway.confirmWritesFor":{"a":"always","b":"always"}}`)}}, nil)
	if got := s.Load().Gateway; got.Confirms("a") != protocol.ConfirmNever || got.Confirms("b") != protocol.ConfirmAlways {
		t.Errorf("in force are %v", got.ConfirmWritesFor)
	}
}

// The line of a map's member is found however the map is written.
func TestProblem_In(t *testing.T) {
	t.Parallel()
	p := Problem{Setting: "winnow.gateway.confirmWritesFor.s"}
	for _, raw := range []string{
		"{\n\"gateway.confirmWritesFor.s\":\"x\"}", "{\"gateway\":{\"confirmWritesFor\":{\n\"s\":\"x\"}}}",
		"{\"gateway.confirmWritesFor\":{\n\"s\":\"x\"}}", "{\"winnow.gateway.confirmWritesFor\":{\n\"s\":\"x\"}}",
		"{\"settings\":{\"winnow.gateway.confirmWritesFor\":{\n\"s\":\"x\"}}}",
	} {
		if at := p.In([]byte(raw)); at.Line != 2 {
			t.Errorf("%s: at %+v, want line 2", raw, at)
		}
	}
}

// TestApply_whole: with a workspace, what the user leaves out is at its default,
// and what the workspace leaves out the user's; what only loosens a default that
// the user has not touched is refused too.
func TestApply_whole(t *testing.T) {
	t.Parallel()
	s := NewStore()
	s.Apply(json.RawMessage(`{"threshold":9,"lock":"enforce"}`), json.RawMessage(`{"initialK":3,"lock":"off"}`))
	if got := s.Load(); got.Threshold != 9 || got.InitialK != 3 || got.Lock != protocol.LockEnforce {
		t.Errorf("at first %+v", got)
	}
	problems := s.Apply(json.RawMessage(`{}`), json.RawMessage(`{"lock":"off"}`))
	if got := s.Load(); got.Threshold != 50 || got.InitialK != 30 || got.Lock != protocol.LockWarn || len(problems) != 1 {
		t.Errorf("then %+v, %v", got, problems)
	}
}

// TestApply_profile: a profile sets several settings at once, of whoever says it,
// and what a person has set wins over it.
func TestApply_profile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, user, workspace    string
		initialK, named, searchK int
	}{
		{"standard", `{}`, `{}`, 30, 90, 10},
		{"the user's", `{"profile": "lean"}`, `{}`, 15, 105, 10},
		{"small", `{"profile": "small"}`, `{}`, 8, 30, 4},
		{"what the user has set stays", `{"profile": "lean", "initialK": 20}`, `{}`, 20, 105, 10},
		{"the workspace's over the user's", `{"profile": "lean"}`, `{"profile": "small"}`, 8, 30, 4},
		{"the workspace's under what the user has set", `{"named": 12}`, `{"profile": "lean"}`, 15, 12, 10},
		{"what the workspace sets", `{"profile": "lean"}`, `{"initialK": 3}`, 3, 105, 10},
		{"one that there is not", `{"profile": "tiny"}`, `{}`, 30, 90, 10},
	} {
		s := NewStore()
		problems := s.Apply(json.RawMessage(c.user), json.RawMessage(c.workspace))
		if wrong := c.name == "one that there is not"; wrong != (len(problems) == 1) {
			t.Errorf("%s: problems %v", c.name, problems)
		}
		if got := s.Load(); got.InitialK != c.initialK || got.Named != c.named || got.SearchK != c.searchK {
			t.Errorf("%s: initialK %d, named %d, searchK %d, want %d, %d, %d", c.name, got.InitialK, got.Named, got.SearchK,
				c.initialK, c.named, c.searchK)
		}
	}
}

// TestApplyFiles: what the host says comes before files of the same scope, a
// workspace's file before the user's but for what it may only tighten, also among
// several folders; and a problem is told once, with its place.
func TestApplyFiles(t *testing.T) {
	t.Parallel()
	text := func(file, raw string) Text { return Text{File: file, Raw: json.RawMessage(raw)} }
	user := []Text{text("user", `{"threshold":1,"initialK":2,"searchK":3,"gateway.confirmWrites":"always"}`)}
	workspace := []Text{
		text("first", `{"initialK":4,"gateway.confirmWrites":"never","lock":"warn"}`),
		text("second", "\n\n  {\"initialK\":5,\"searchTurns\":6,\"lock\":\"enforce\",\"embeddings.url\":\"http://theirs\",\"x\":1}"),
	}
	s := NewStore()
	s.Apply(json.RawMessage(`{"searchK":9}`), nil)
	problems := s.ApplyFiles(user, workspace)
	got := s.Load()
	if got.Threshold != 1 || got.InitialK != 4 || got.SearchK != 9 || got.SearchTurns != 6 {
		t.Errorf("preferences are %d, %d, %d and %d", got.Threshold, got.InitialK, got.SearchK, got.SearchTurns)
	}
	if got.Gateway.ConfirmWrites != protocol.ConfirmAlways || got.Lock != protocol.LockEnforce || got.Embeddings.URL != "" {
		t.Errorf("in force are %s, %s and %q", got.Gateway.ConfirmWrites, got.Lock, got.Embeddings.URL)
	}
	places := map[string]Problem{}
	for _, p := range problems {
		places[p.Setting] = p
	}
	for setting, file := range map[string]string{
		"winnow.gateway.confirmWrites": "first", "winnow.embeddings.url": "second", "winnow.x": "second",
	} {
		if p := places[setting]; p.File != file || p.At.Line == 0 || file == "second" && p.At.Line != 3 {
			t.Errorf("the problem of %s is %+v", setting, p)
		}
	}
	if again := s.ApplyFiles(user, append(workspace, text("third", `{}`))); len(again) != 0 {
		t.Errorf("told again: %+v", again)
	}
	s.Apply(json.RawMessage(`{}`), json.RawMessage(`{"initialK":8}`))
	if got := s.Load(); got.InitialK != 8 || got.SearchK != 3 {
		t.Errorf("under the host's: %d and %d", got.InitialK, got.SearchK)
	}
	s.ApplyFiles(nil, nil)
	if got := s.Load(); got.Threshold != protocol.DefaultSettings().Threshold || got.Lock != protocol.DefaultSettings().Lock {
		t.Errorf("without files: %d, %s", got.Threshold, got.Lock)
	}
}

package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/router"
)

func tool(server, name, annotations string) *router.Tool {
	t := &router.Tool{ID: router.ToolID{Server: server, Tool: name}}
	if annotations != "" {
		t.Annotations = json.RawMessage(annotations)
	}
	return t
}

const policies = `
permit(principal in Group::"staff", action == Action::"call", resource) when { resource.readOnly };
permit(principal in Group::"ops", action == Action::"call", resource in Server::"mail");
permit(principal == User::"alice", action == Action::"call", resource == Tool::"files/write");
forbid(principal, action, resource) when { resource.name like "drop*" };
forbid(principal, action, resource == Tool::"mail/odd") when { resource.missing };
`

// TestPolicies pins who has what.
func TestPolicies(t *testing.T) {
	t.Parallel()
	p, err := Parse(policies, []string{"files", "mail", "old"}, []string{"mail/spam", "old"})
	if err != nil {
		t.Fatal(err)
	}
	const reads = `{"readOnlyHint":true}`
	for _, one := range []struct {
		user   string
		groups []string
		tool   *router.Tool
		want   bool
	}{
		{"bob", []string{"staff"}, tool("files", "read", reads), true},
		{"bob", []string{"staff"}, tool("files", "write", ""), false},
		{"bob", []string{"staff"}, tool("files", "read", `"none"`), false},
		{"bob", nil, tool("files", "read", reads), false},
		{"alice", nil, tool("files", "write", ""), true},
		{"alice", nil, tool("mail", "write", ""), false},
		{"bob", []string{"x", "ops"}, tool("mail", "send", ""), true},
		{"bob", []string{"ops"}, tool("mail", "drop_all", ""), false},
		{"bob", []string{"ops"}, tool("mail", "spam", ""), false},
		{"bob", []string{"ops"}, tool("mail", "odd", ""), false},
		{"bob", []string{"staff"}, tool("old", "read", reads), false},
		{"bob", []string{"staff"}, tool("unlisted", "read", reads), false},
	} {
		mode, err := p.Mode(p.ClassOf(one.user, one.groups))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // decided, and remembered
			if got := mode.Class.Tool(one.tool); got != one.want {
				t.Errorf("%s of %q: %s is %t", one.user, one.groups, one.tool.ID, got)
			}
		}
	}
}

// TestPolicies_classes: users are one class unless a policy tells them apart, and
// what a server says anew is decided anew.
func TestPolicies_classes(t *testing.T) {
	t.Parallel()
	p, err := Parse(policies, []string{"files"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.ClassOf("bob", []string{"y", "x", "x"}), p.ClassOf("carol", []string{"x", "y"}); a != b {
		t.Errorf("%s and %s are two classes", a, b)
	}
	if a, b := p.ClassOf("bob", []string{"x"}), p.ClassOf("alice", []string{"x"}); a == b {
		t.Errorf("alice, whom a policy names, is one of %s", b)
	}
	name := p.ClassOf("bob", []string{"staff"})
	mode, err := p.Mode(name)
	again, _ := p.Mode(name)
	if err != nil || mode != again {
		t.Errorf("one class is two modes: %v", err)
	}
	if !mode.Class.Tool(tool("files", "x", `{"readOnlyHint":true}`)) || mode.Class.Tool(tool("files", "x", `{"readOnlyHint":false}`)) {
		t.Error("a tool that says something else is not decided anew")
	}
	if _, err := p.Mode("made up"); err == nil {
		t.Error("what is no class has a mode")
	}
}

// TestParse_says where a policy cannot be read.
func TestParse_says(t *testing.T) {
	t.Parallel()
	_, err := Parse("permit(principal, action, resource);\npermit(", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "policies:") || !strings.Contains(err.Error(), "2") {
		t.Errorf("got %v, want the line", err)
	}
}

func TestWithdrawn(t *testing.T) {
	t.Parallel()
	list, changed := Withdrawn([]string{"b"}, "a/x", true)
	if strings.Join(list, " ") != "a/x b" || !changed {
		t.Errorf("got %q, %t", list, changed)
	}
	if again, changed := Withdrawn(list, "a/x", true); len(again) != 2 || changed {
		t.Errorf("twice: %q, %t", again, changed)
	}
	if back, changed := Withdrawn(list, "a/x", false); strings.Join(back, " ") != "b" || !changed {
		t.Errorf("back: %q, %t", back, changed)
	}
}

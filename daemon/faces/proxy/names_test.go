package proxy

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

func TestNaming(t *testing.T) {
	naming := Naming{
		Servers: []string{"memory", "my server", "git_lab", "git"},
		Include: []string{"jira*"}, Exclude: []string{"mcp__secret__*", "mcp__hidden"},
		Forms: []string{"ext:{server}:{tool}", "{server}/{tool}"},
	}
	n := naming.Namer()
	for _, tt := range []struct {
		namespace, name string
		want            Identity
	}{
		{"", "mcp__memory__create_entities", Identity{"memory", "create_entities"}},
		{"", "mcp__unknown__do_it", Identity{"unknown", "do_it"}},
		{"", "mcp_memory_create_entities", Identity{"memory", "create_entities"}},
		{"", "mcp_unknown_do_it", Identity{"unknown", "do_it"}},
		{"", "mcp_git_lab_list", Identity{"git_lab", "list"}},
		{"", "mcp_git_status", Identity{"git", "status"}},
		{"", "mcp--memory--read", Identity{"memory", "read"}},
		{"", "mcp_my_server_go", Identity{"my server", "go"}},
		{"", "memory_create_entities", Identity{"memory", "create_entities"}},
		{"", "memory.create", Identity{"memory", "create"}},
		{"mcp__memory", "create_entities", Identity{"memory", "create_entities"}},
		{"mcp__other__", "go", Identity{"other", "go"}},
		{"", "jiraSearch", Identity{"included", "jiraSearch"}},
		{"", "ext:mail:send", Identity{"mail", "send"}},
		{"", "mail/send", Identity{"mail", "send"}},
		{"", "ext:mail", Identity{}},
		{"", "read_file", Identity{}},
		{"", "memorystick", Identity{}},
		{"", "mcp_", Identity{}},
		{"", "mcp__secret__read", Identity{}},
		{"mcp__hidden", "read", Identity{}},
		{"web", "search", Identity{}},
	} {
		got, ok := n.Identify(&wire.Tool{Namespace: tt.namespace, Name: tt.name})
		if !ok {
			got = Identity{}
		}
		if got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.namespace, tt.name, got, tt.want)
		}
	}
}

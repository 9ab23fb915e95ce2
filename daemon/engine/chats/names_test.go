package chats

import (
	"slices"
	"strconv"
	"testing"
)

func TestNaming(t *testing.T) {
	naming := Naming{
		Servers: []string{"memory", "my server", "git_lab", "git", "Everything Reference", "company.notes.one", "company.notes.two", "My Notes (work)"},
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
		{"", "mcp_everything_re_get-sum", Identity{"Everything Reference", "get-sum"}},
		{"", "mcp_company_notes_read", Identity{"company.notes.one", "read"}},
		{"", "mcp_company_notes2_read", Identity{"company.notes.one", "read"}},
		{"", "mcp_company_notes3_read", Identity{"company", "notes3_read"}},
		{"", "mcp_my_notes_work_read", Identity{"My Notes (work)", "read"}},
		{"", "everything_re_get-sum", Identity{}},
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
		got := Identity{}
		if ids := n.Identify(tt.namespace, tt.name); len(ids) > 0 {
			got = ids[0]
		}
		if got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.namespace, tt.name, got, tt.want)
		}
	}
}

// Two servers whose names VS Code cuts to the same are both meant by a tool of
// either.
func TestNaming_cutAlike(t *testing.T) {
	n := (&Naming{Servers: []string{"company.notes.one", "company.notes.two", "company"}}).Namer()
	for _, name := range []string{"mcp_company_notes_read", "mcp_company_notes2_read"} {
		want := []Identity{{"company.notes.one", "read"}, {"company.notes.two", "read"}}
		if got := n.Identify("", name); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = "company.notes." + strconv.Itoa(i)
	}
	n = (&Naming{Servers: many}).Namer()
	if got := n.Identify("", "mcp_company_notes100_read"); len(got) != len(many) || len(n.servers) > 5*len(many) {
		t.Errorf("got %d servers of %d, and %d spellings, want at most five of each", len(got), len(many), len(n.servers))
	}
}

package ownname

import (
	"slices"
	"testing"
)

// TestFind has names as clients really make them.
func TestFind(t *testing.T) {
	const fs = "Secure Filesystem Server"
	for _, tt := range []struct {
		client, server string
		names          []string
		want           []Name
	}{
		{"the server itself", "github", []string{"create_issue", "list_issues"}, []Name{{"github", "create_issue"}, {"github", "list_issues"}}},
		{"Claude Code", "github", []string{"mcp__github__create_issue"}, []Name{{"github", "create_issue"}}},
		{"Claude Code, a name with a space", "my server", []string{"mcp__my_server__go"}, []Name{{"my server", "go"}}},
		{"Roo Code", "github", []string{"mcp--github--create_issue"}, []Name{{"github", "create_issue"}}},
		{"Gemini CLI", "github", []string{"mcp_github_create_issue"}, []Name{{"github", "create_issue"}}},
		{"Gemini CLI does not cut", "sequential-thinking", []string{"mcp_sequential-thinking_think"}, []Name{{"sequential-thinking", "think"}}},
		{"VS Code cuts", fs, []string{"mcp_secure_filesy_read_file"}, []Name{{fs, "read_file"}}},
		{"VS Code and a dot", "a.b", []string{"mcp_a_b_tool"}, []Name{{"a.b", "tool"}}},
		{"VS Code names by the title", "my-files", []string{"mcp_secure-filesy_read_file", "mcp_secure-filesy_read_text"}, []Name{{"my-files", "read_file"}, {"my-files", "read_text"}}},
		{"VS Code, one tool and another title", "x", []string{"mcp_files_read_file"}, []Name{{"x", "read_file"}}},
		{"opencode", "memory", []string{"memory_create_entities", "memory_open_nodes"}, []Name{{"memory", "create_entities"}, {"memory", "open_nodes"}}},
		{"double separators", "github", []string{"github__create_issue"}, []Name{{"github", "create_issue"}}},
		{"some names of the server's own begin with its name", "slack", []string{"slack_post", "list"}, []Name{{"slack", "slack_post"}, {"slack", "list"}}},
		{"no tool behind the prefix", "github", []string{"mcp_github_", "github"}, []Name{{"github", "mcp_github_"}, {"github", "github"}}},
		{
			"VS Code does not tell the servers", Unknown,
			[]string{"mcp_github_create_issue", "mcp_github_list_issues", "mcp_secure-filesy_read_file", "mcp_secure-filesy_write", "mcp_my_files_read", "mcp_my_files_list", "mcp_mail_send_it", "other"},
			[]Name{
				{"github", "create_issue"}, {"github", "list_issues"}, {"secure-filesy", "read_file"}, {"secure-filesy", "write"},
				{"my_files", "read"}, {"my_files", "list"}, {"mail", "send_it"}, {Unknown, "other"},
			},
		},
		{"Claude Code, an unknown server", Unknown, []string{"mcp__google_drive__search"}, []Name{{"google_drive", "search"}}},
	} {
		if got := Find(tt.server, tt.names); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.client, got, tt.want)
		}
	}
}

package config

import (
	"path/filepath"
	"slices"
	"testing"
)

// names shortens sources to scope, dialect and path, with the project.
func names(sources []Source) []string {
	var list []string
	for _, s := range sources {
		name := string(s.Scope) + " " + string(s.Dialect) + " " + filepath.ToSlash(s.Path)
		if s.Project != "" {
			name += " for " + s.Project
		}
		list = append(list, name)
	}
	return list
}

func TestSources(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		options Options
		want    []string
	}{
		{"nothing", Options{}, nil},
		{"two folders", Options{Folders: []string{"/a", "/b"}, FromVSCode: true}, []string{
			"workspace winnow /a/.vscode/winnow.json", "workspace winnow /b/.vscode/winnow.json",
			"workspace claude /a/.mcp.json", "workspace claude /b/.mcp.json",
			"workspace roo /a/.roo/mcp.json", "workspace roo /b/.roo/mcp.json",
			"workspace zoo /a/.zoo/mcp.json", "workspace zoo /b/.zoo/mcp.json",
			"workspace cursor /a/.cursor/mcp.json", "workspace cursor /b/.cursor/mcp.json",
			"workspace copilot /a/.github/mcp.json", "workspace copilot /b/.github/mcp.json",
			"workspace codex /a/.codex/config.toml", "workspace codex /b/.codex/config.toml",
			"workspace kiloconfig /a/.kilo/kilo.json", "workspace kiloconfig /b/.kilo/kilo.json",
			"workspace kiloconfig /a/.kilo/kilo.jsonc", "workspace kiloconfig /b/.kilo/kilo.jsonc",
			"workspace kiloconfig /a/kilo.json", "workspace kiloconfig /b/kilo.json",
			"workspace kiloconfig /a/kilo.jsonc", "workspace kiloconfig /b/kilo.jsonc",
			"workspace kilo /a/.kilocode/mcp.json", "workspace kilo /b/.kilocode/mcp.json",
			"workspace kilo /a/.kilo/mcp.json", "workspace kilo /b/.kilo/mcp.json",
			"workspace roomodes /a/.roomodes", "workspace roomodes /b/.roomodes",
			"workspace lock /a/winnow.lock.json", "workspace lock /b/winnow.lock.json",
			"workspace vscode /a/.vscode/mcp.json", "workspace vscode /b/.vscode/mcp.json",
		}},
		{"the user", Options{UserDir: "/u", Home: "/h", GlobalStorageDirs: []string{"/g"}, CustomStorageDirs: []string{"/c"}}, []string{
			"user winnow /u/winnow.json",
			"user roo /c/settings/mcp_settings.json", "user roomodes /c/settings/custom_modes.yaml",
			"user roo /g/rooveterinaryinc.roo-cline/settings/mcp_settings.json", "user roomodes /g/rooveterinaryinc.roo-cline/settings/custom_modes.yaml",
			"user zoo /g/zoocodeorganization.zoo-code/settings/mcp_settings.json", "user roomodes /g/zoocodeorganization.zoo-code/settings/custom_modes.yaml",
			"user kilo /g/kilocode.kilo-code/settings/mcp_settings.json",
			"user kiloconfig /h/.config/kilo/kilo.json", "user kiloconfig /h/.config/kilo/kilo.jsonc",
			"user claude /h/.claude.json", "user cursor /h/.cursor/mcp.json", "user copilot /h/.copilot/mcp-config.json",
			"user codex /h/.codex/config.toml",
			"user cline /h/.cline/data/settings/cline_mcp_settings.json", "user cline /g/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
		}},
		{"elsewhere by the environment", Options{Home: "/h", CopilotDir: "/copilot", CodexDir: "/codex", ClineFile: "/cline.json", ConfigHome: "/xdg"}, []string{
			"user kiloconfig /xdg/kilo/kilo.json", "user kiloconfig /xdg/kilo/kilo.jsonc",
			"user claude /h/.claude.json", "user cursor /h/.cursor/mcp.json", "user copilot /copilot/mcp-config.json", "user codex /codex/config.toml", "user cline /cline.json",
		}},
		{"the home folder is open", Options{Folders: []string{"/h"}, Home: "/h"}, []string{
			"workspace winnow /h/.vscode/winnow.json", "workspace claude /h/.mcp.json", "workspace roo /h/.roo/mcp.json",
			"workspace zoo /h/.zoo/mcp.json", "workspace cursor /h/.cursor/mcp.json", "workspace copilot /h/.github/mcp.json",
			"workspace codex /h/.codex/config.toml",
			"workspace kiloconfig /h/.kilo/kilo.json", "workspace kiloconfig /h/.kilo/kilo.jsonc",
			"workspace kiloconfig /h/kilo.json", "workspace kiloconfig /h/kilo.jsonc",
			"workspace kilo /h/.kilocode/mcp.json", "workspace kilo /h/.kilo/mcp.json", "workspace roomodes /h/.roomodes",
			"workspace lock /h/winnow.lock.json",
			"user kiloconfig /h/.config/kilo/kilo.json", "user kiloconfig /h/.config/kilo/kilo.jsonc",
			"user claude /h/.claude.json for /h", "user claude /h/.claude.json", "user copilot /h/.copilot/mcp-config.json",
			"user cline /h/.cline/data/settings/cline_mcp_settings.json",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := names(Sources(tt.options)); !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestSource_NeedsConsent(t *testing.T) {
	t.Parallel()
	for _, d := range allDialects() {
		for _, scope := range []Scope{User, Workspace} {
			got, want := Source{Dialect: d, Scope: scope}.NeedsConsent(), d != Winnow || scope == Workspace
			if got != want {
				t.Errorf("%s of the %s: got %t", d, scope, got)
			}
		}
	}
}

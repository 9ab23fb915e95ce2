package config

import (
	"cmp"
	"path/filepath"
)

// Scope says whose file a source is.
type Scope string

// The values of [Scope].
const (
	// Workspace files come with the folder that was opened. Nothing in them
	// starts before the user trusts the workspace.
	Workspace Scope = "workspace"
	// User files belong to the person at the keyboard.
	User Scope = "user"
)

// Source is one file, or one part of a file, that is read. It is comparable.
type Source struct {
	// Path is absolute.
	Path    string
	Dialect Dialect
	Scope   Scope
	// Folder is the workspace folder that the source belongs to; empty for what
	// the user has in every workspace.
	Folder string
	// Project is the key below `projects` of ~/.claude.json whose servers are
	// meant; empty for the servers at the top.
	Project string
}

// NeedsConsent reports whether servers of this source start only after the user
// agreed to what starts: all but those of the user's own Winnow file.
func (s Source) NeedsConsent() bool { return s.Dialect != Winnow || s.Scope == Workspace }

// OfWorkspacesOwn reports whether it is Winnow's own file of a workspace: trust
// in the workspace is consent to what that file says then.
func (s Source) OfWorkspacesOwn() bool { return s.Dialect == Winnow && s.Scope == Workspace }

// Options says where to look for files.
type Options struct {
	// Folders are the absolute paths of the workspace folders, in their order.
	Folders []string
	// UserDir is the folder of the user's own winnow.json; empty for none.
	UserDir string
	// Home is the user's home folder; empty leaves out what lives there.
	Home string
	// GlobalStorageDirs are VS Code's User/globalStorage folders, in which
	// extensions keep their files.
	GlobalStorageDirs []string
	// CustomStorageDirs are folders that the user chose in Roo Code's or Zoo
	// Code's setting customStoragePath. They come before GlobalStorageDirs.
	CustomStorageDirs []string
	// CopilotDir and CodexDir are the folders of GitHub Copilot CLI's own files and
	// of Codex's, and ClineFile the user's file of Cline; empty for where they are by
	// default.
	CopilotDir, CodexDir, ClineFile string
	// ConfigHome is where programs of the XDG Base Directory Specification have
	// their configuration; empty for .config in Home.
	ConfigHome string
	// FromVSCode reads .vscode/mcp.json too.
	FromVSCode bool
}

// rooExtensions are the folders that Roo Code and what grew out of it have in
// globalStorage: publisher and name.
func rooExtensions() []fileKind {
	return []fileKind{{"rooveterinaryinc.roo-cline", Roo}, {"zoocodeorganization.zoo-code", Zoo}, {"kilocode.kilo-code", Kilo}}
}

// Sources lists what is to be read in order of precedence: the workspace before
// the user, and in each Winnow's own file before those of other clients. With
// several folders, the same file of an earlier folder comes first. No file is
// touched, and none needs to exist.
func Sources(o Options) []Source {
	var all []Source
	for _, kind := range workspaceFiles(o.FromVSCode) {
		for _, folder := range o.Folders {
			all = append(all, Source{
				Path:    filepath.Join(folder, filepath.FromSlash(kind.path)),
				Dialect: kind.dialect, Scope: Workspace, Folder: folder,
			})
		}
	}
	all = append(all, userFiles(o)...)
	return distinct(all)
}

type fileKind struct {
	path    string
	dialect Dialect
}

// workspaceFiles lists what is looked for in a folder, in order of precedence.
func workspaceFiles(fromVSCode bool) []fileKind {
	kinds := []fileKind{
		{".vscode/winnow.json", Winnow},
		{".mcp.json", Claude},
		{".roo/mcp.json", Roo},
		{".zoo/mcp.json", Zoo},
		{".cursor/mcp.json", Cursor},
		{".github/mcp.json", Copilot},
		{".codex/config.toml", Codex},
		{".kilo/kilo.json", KiloConfig},
		{".kilo/kilo.jsonc", KiloConfig},
		{"kilo.json", KiloConfig},
		{"kilo.jsonc", KiloConfig},
		{".kilocode/mcp.json", Kilo},
		{".kilo/mcp.json", Kilo},
		{".roomodes", RooModes},
		{"winnow.lock.json", Lock},
	}
	if fromVSCode {
		kinds = append(kinds, fileKind{".vscode/mcp.json", VSCode})
	}
	return kinds
}

// userFiles lists the user's files in order of precedence.
func userFiles(o Options) []Source {
	var all []Source
	add := func(d Dialect, elem ...string) {
		all = append(all, Source{Path: filepath.Join(elem...), Dialect: d, Scope: User})
	}
	if o.UserDir != "" {
		add(Winnow, o.UserDir, "winnow.json")
	}
	for _, dir := range rooDirs(o) {
		add(dir.dialect, dir.path, "settings", "mcp_settings.json")
		if dir.dialect != Kilo { // whose modes have a form of their own by now
			add(RooModes, dir.path, "settings", "custom_modes.yaml")
		}
	}
	if o.Home == "" {
		return all
	}
	kilo := filepath.Join(cmp.Or(o.ConfigHome, filepath.Join(o.Home, ".config")), "kilo")
	add(KiloConfig, kilo, "kilo.json")
	add(KiloConfig, kilo, "kilo.jsonc")
	claude := Source{Path: filepath.Join(o.Home, ".claude.json"), Dialect: Claude, Scope: User}
	for _, folder := range o.Folders {
		// What `claude mcp add` writes by default: the user's own servers for
		// one folder, which win over those for every folder.
		local := claude
		local.Folder, local.Project = folder, folder
		all = append(all, local)
	}
	all = append(all, claude)
	add(Cursor, o.Home, ".cursor", "mcp.json")
	add(Copilot, cmp.Or(o.CopilotDir, filepath.Join(o.Home, ".copilot")), "mcp-config.json")
	add(Codex, cmp.Or(o.CodexDir, filepath.Join(o.Home, ".codex")), "config.toml")
	add(Cline, cmp.Or(o.ClineFile, filepath.Join(o.Home, ".cline", "data", "settings", "cline_mcp_settings.json")))
	for _, storage := range o.GlobalStorageDirs { // where Cline had it before
		add(Cline, storage, "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")
	}
	return all
}

// rooDirs lists the folders that hold Roo Code's or Zoo Code's settings. One
// that the user chose may be either's; their files are the same.
func rooDirs(o Options) []fileKind {
	var dirs []fileKind
	for _, dir := range o.CustomStorageDirs {
		dirs = append(dirs, fileKind{dir, Roo})
	}
	for _, storage := range o.GlobalStorageDirs {
		for _, extension := range rooExtensions() {
			dirs = append(dirs, fileKind{filepath.Join(storage, extension.path), extension.dialect})
		}
	}
	return dirs
}

// distinct drops what is listed before: a workspace that is the home folder
// has its .cursor/mcp.json in both scopes.
func distinct(all []Source) []Source {
	type identity struct{ path, project string }
	seen := make(map[identity]bool, len(all))
	kept := all[:0]
	for _, s := range all {
		id := identity{s.Path, s.Project}
		if !seen[id] {
			seen[id] = true
			kept = append(kept, s)
		}
	}
	return kept
}

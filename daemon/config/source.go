package config

import (
	"cmp"
	"path/filepath"
)

// Scope says who owns a source.
type Scope string

// The values of [Scope].
const (
	// Workspace files belong to the opened folder. Nothing in them starts before the user
	// trusts the workspace.
	Workspace Scope = "workspace"
	// User files belong to the user.
	User Scope = "user"
)

// Source is one file, or a part of one, to read. It is comparable.
type Source struct {
	// Path is absolute.
	Path    string
	Dialect Dialect
	Scope   Scope
	// Folder is the workspace folder of the source; "" for files that apply to every
	// workspace.
	Folder string
	// Project is the key below `projects` of ~/.claude.json with the servers; "" for the
	// top level.
	Project string
}

// NeedsConsent reports whether starts of this source's servers need the user's consent:
// in all files except the user's own Winnow file.
func (s Source) NeedsConsent() bool { return s.Dialect != Winnow || s.Scope == Workspace }

// OfWorkspacesOwn reports whether it is Winnow's own file of a workspace. Trusting the
// workspace is consent to the file's content at that time.
func (s Source) OfWorkspacesOwn() bool { return s.Dialect == Winnow && s.Scope == Workspace }

// Options says where to look for files.
type Options struct {
	// Folders are the absolute paths of the workspace folders, in their order.
	Folders []string
	// UserDir is the folder of the user's own winnow.json; empty for none.
	UserDir string
	// Home is the user's home folder; "" omits the files in it.
	Home string
	// GlobalStorageDirs are VS Code's User/globalStorage folders, which hold extensions'
	// files.
	GlobalStorageDirs []string
	// CustomStorageDirs are folders set by Roo Code's or Zoo Code's setting
	// customStoragePath. They precede GlobalStorageDirs.
	CustomStorageDirs []string
	// CopilotDir and CodexDir are the folders of GitHub Copilot CLI's own files and of
	// Codex's, and ClineFile is Cline's user file; "" means the default place.
	CopilotDir, CodexDir, ClineFile string
	// ConfigHome is the configuration folder of the XDG Base Directory Specification; ""
	// means .config in Home.
	ConfigHome string
	// FromVSCode includes .vscode/mcp.json.
	FromVSCode bool
}

// rooExtensions returns the globalStorage folders of Roo Code and its forks: publisher
// and name.
func rooExtensions() []fileKind {
	return []fileKind{{"rooveterinaryinc.roo-cline", Roo}, {"zoocodeorganization.zoo-code", Zoo}, {"kilocode.kilo-code", Kilo}}
}

// Sources lists the files to read in order of precedence: the workspace before the user,
// and in each Winnow's own file before other clients'. An earlier folder's file precedes
// the same file of a later one. It does no I/O, and the files need not exist.
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

// workspaceFiles lists the files of a folder, in order of precedence.
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
		if dir.dialect != Kilo { // its modes have another format now
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
		// `claude mcp add` writes here by default: the user's servers for one folder,
		// which override those for every folder.
		local := claude
		local.Folder, local.Project = folder, folder
		all = append(all, local)
	}
	all = append(all, claude)
	add(Cursor, o.Home, ".cursor", "mcp.json")
	add(Copilot, cmp.Or(o.CopilotDir, filepath.Join(o.Home, ".copilot")), "mcp-config.json")
	add(Codex, cmp.Or(o.CodexDir, filepath.Join(o.Home, ".codex")), "config.toml")
	add(Cline, cmp.Or(o.ClineFile, filepath.Join(o.Home, ".cline", "data", "settings", "cline_mcp_settings.json")))
	for _, storage := range o.GlobalStorageDirs { // Cline's former place
		add(Cline, storage, "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")
	}
	return all
}

// rooDirs lists the folders with Roo Code's or Zoo Code's settings. A custom one may be
// either's; their files are the same.
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

// distinct removes duplicates: if the workspace is the home folder, its .cursor/mcp.json
// is in both scopes.
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

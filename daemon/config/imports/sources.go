package imports

import (
	"path/filepath"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/config"
)

// Source is a file of another client that may have servers to move.
type Source struct {
	// Path is absolute.
	Path    string
	Dialect config.Dialect
	// Target is the absolute path of Winnow's own file that receives the servers.
	Target string
}

// Sources lists the files that may have servers to move: first those of each folder, VS
// Code's before the others, then the user's. It omits what `claude mcp add` stores for
// one folder: that is the user's own, but the folder's winnow.json is shared. It also
// omits Kilo Code's own configuration and Codex's, whose entries have another format.
func Sources(o config.Options) []Source {
	o.FromVSCode = true
	all := config.Sources(o)
	var sources []Source
	for _, folder := range o.Folders {
		own := filepath.Join(folder, ".vscode", "winnow.json")
		sources = append(sources, clientFiles(all, func(s config.Source) bool { return s.Folder == folder }, own)...)
	}
	if o.UserDir == "" {
		return sources
	}
	own := filepath.Join(o.UserDir, "winnow.json")
	for _, storage := range o.GlobalStorageDirs {
		// VS Code's user file is beside its storage of extensions.
		sources = append(sources, Source{filepath.Join(filepath.Dir(storage), "mcp.json"), config.VSCode, own})
	}
	return append(sources, clientFiles(all, func(s config.Source) bool { return s.Scope == config.User }, own)...)
}

// clientFiles returns the files of other clients that belong to one place.
func clientFiles(all []config.Source, belongs func(config.Source) bool, own string) []Source {
	unmoved := []config.Dialect{config.Winnow, config.RooModes, config.Lock, config.KiloConfig, config.Codex}
	var sources []Source
	for _, s := range all {
		if belongs(s) && s.Project == "" && !slices.Contains(unmoved, s.Dialect) {
			sources = append(sources, Source{s.Path, s.Dialect, own})
		}
	}
	slices.SortStableFunc(sources, func(a, b Source) int { return rank(a) - rank(b) })
	return sources
}

func rank(s Source) int {
	if s.Dialect == config.VSCode {
		return 0
	}
	return 1
}

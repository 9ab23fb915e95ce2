package lockfile

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// npm finds the packages that npm has installed.
type npm struct {
	// folder is the workspace folder, home the user's home folder.
	folder, home string
	// environ looks up npm's settings in the environment.
	environ func(name string) (string, bool)
}

// installed returns the package that npm runs for a written one such as `npm:mail@1`,
// with the installed version and its integrity. If npm has not installed it, installed
// returns its argument.
func (n npm) installed(written string) (pkg, integrity string) {
	spec, ok := strings.CutPrefix(written, "npm:")
	if !ok {
		return written, ""
	}
	name, version := spec, ""
	if at := strings.LastIndexByte(spec, '@'); at > 0 {
		name, version = spec[:at], spec[at+1:]
	}
	for _, file := range n.lockFiles() {
		one, ok := read(file, name)
		exact := version != "" && strings.Count(version, ".") == 2 && !strings.ContainsAny(version, "^~<>*x ")
		if !ok || exact && one.Version != version {
			continue
		}
		return "npm:" + name + "@" + one.Version, one.Integrity
	}
	return written, ""
}

// lockFiles returns npm's lock files of installed packages: that of the workspace, which
// npx prefers, then those in the cache of npx, the newest first.
func (n npm) lockFiles() []string {
	const hidden = ".package-lock.json"
	files := []string{filepath.Join(n.folder, "node_modules", hidden)}
	cache := filepath.Join(n.home, ".npm")
	if set, ok := n.environ("npm_config_cache"); ok && set != "" {
		cache = set
	}
	cached, err := filepath.Glob(filepath.Join(cache, "_npx", "*", "node_modules", hidden))
	if err != nil {
		return files // the pattern is malformed if the path has brackets
	}
	slices.SortStableFunc(cached, func(a, b string) int { return cmp.Compare(modified(b), modified(a)) })
	return append(files, cached...)
}

func modified(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// locked is the entry of a package in npm's lock file.
type locked struct {
	Version   string `json:"version"`
	Integrity string `json:"integrity"`
}

func read(file, name string) (locked, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return locked{}, false
	}
	var all struct {
		Packages map[string]locked `json:"packages"`
	}
	if json.Unmarshal(data, &all) != nil {
		return locked{}, false
	}
	one, ok := all.Packages["node_modules/"+name]
	return one, ok
}

package lockfile

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// npm knows what npm has installed.
type npm struct {
	// folder is the workspace's, home the user's.
	folder, home string
	// environ looks up npm's own settings in the environment.
	environ func(name string) (string, bool)
}

// installed returns the package that npm runs for one as it is written, such as
// `npm:mail@1`: with the version that is installed, and its integrity. It
// returns what it was given where npm has not installed it.
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

// lockFiles lists what npm writes beside what it installs: in the workspace, as
// npx prefers it, then in the cache of npx, the newest first.
func (n npm) lockFiles() []string {
	const hidden = ".package-lock.json"
	files := []string{filepath.Join(n.folder, "node_modules", hidden)}
	cache := filepath.Join(n.home, ".npm")
	if set, ok := n.environ("npm_config_cache"); ok && set != "" {
		cache = set
	}
	cached, err := filepath.Glob(filepath.Join(cache, "_npx", "*", "node_modules", hidden))
	if err != nil {
		return files // the pattern is wrong where the path has brackets: nothing is known then
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

// locked is what a lock file of npm's says of a package.
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

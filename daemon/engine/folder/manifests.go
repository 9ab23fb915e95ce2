package folder

import (
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// maxManifest is how many bytes of a manifest are read; names after that are ignored.
const maxManifest = 256 << 10

// manifests maps a manifest's file name to a function that finds the names of
// dependencies. The function returns none if it does not understand the format.
var manifests = map[string]func(text string) []string{
	"package.json":     inPackageJSON,
	"composer.json":    inPackageJSON,
	"go.mod":           namesBy(`(?m)^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+v\d`),
	"requirements.txt": namesBy(`(?m)^\s*([A-Za-z0-9][\w.-]*)`),
	"pyproject.toml":   namesBy(`(?m)^\s*"?([A-Za-z0-9][\w.-]*)(?:\[[\w,. -]*\])?\s*(?:"?\s*=\s*["{]|[<>=!~].*"|",?\s*$)`),
	"Cargo.toml":       namesBy(`(?m)^\s*([A-Za-z0-9][\w-]*)\s*=\s*["{]`),
	"Gemfile":          namesBy(`(?m)^\s*gem\s+["']([\w.-]+)`),
}

// dependenciesIn returns a manifest's dependencies, or none for another file.
func dependenciesIn(path string) []string {
	find := manifests[filepath.Base(path)]
	if find == nil {
		return nil
	}
	return find(beginningOf(path))
}

// beginningOf returns up to maxManifest bytes of a file.
func beginningOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxManifest)) // what was read before an error is used
	return string(text)
}

// namesBy returns the first groups of a pattern's matches.
func namesBy(pattern string) func(string) []string {
	find := regexp.MustCompile(pattern)
	return func(text string) (names []string) {
		for _, match := range find.FindAllStringSubmatch(text, -1) {
			names = append(names, match[1])
		}
		return names
	}
}

// inPackageJSON returns the keys of every object whose name contains "dependencies".
func inPackageJSON(text string) (names []string) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil {
		return nil
	}
	for name, member := range members {
		if !strings.HasSuffix(strings.ToLower(name), "dependencies") && !strings.HasPrefix(name, "require") {
			continue
		}
		var list map[string]json.RawMessage
		if json.Unmarshal(member, &list) == nil {
			for dependency := range list {
				names = append(names, dependency)
			}
		}
	}
	slices.Sort(names)
	return names
}

// remoteURL matches the URLs of a repository's remotes.
var remoteURL = regexp.MustCompile(`(?m)^\s*url\s*=\s*(\S+)`)

// remotesIn returns the hosts of a repository's remotes, without users and paths.
func remotesIn(root string) (hosts []string) {
	config := filepath.Join(root, ".git", "config")
	if info, err := os.Lstat(config); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	for _, match := range remoteURL.FindAllStringSubmatch(beginningOf(config), -1) {
		host := ""
		if u, err := url.Parse(match[1]); err == nil && u.Host != "" {
			host = u.Hostname()
		} else if before, _, ok := strings.Cut(match[1], ":"); ok { // git@host:path
			host = before[strings.LastIndexByte(before, '@')+1:]
		}
		if strings.Contains(host, ".") && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

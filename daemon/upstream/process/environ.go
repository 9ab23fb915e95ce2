package process

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// defaultEnvNames returns the variables that every child inherits: those of MCP's SDKs,
// enough to find programs and a home directory, without credentials.
func defaultEnvNames(goos string) []string {
	if goos == "windows" {
		return []string{
			"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PROCESSOR_ARCHITECTURE",
			"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
		}
	}
	return []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
}

// Environment returns the environment of a child as sorted KEY=value pairs: the defaults
// from the daemon's environment, overridden by host, then by entry.
func Environment(host, entry map[string]string) []string {
	return mergeEnv(runtime.GOOS, os.LookupEnv, host, entry)
}

func mergeEnv(goos string, lookup func(string) (string, bool), layers ...map[string]string) []string {
	merged := map[string]string{}
	for _, name := range defaultEnvNames(goos) {
		// A value that begins with () is an exported shell function.
		if value, ok := lookup(name); ok && !strings.HasPrefix(value, "()") {
			merged[name] = value
		}
	}
	for _, layer := range layers {
		for name, value := range layer {
			if goos == "windows" {
				deleteFold(merged, name)
			}
			merged[name] = value
		}
	}
	env := make([]string, 0, len(merged))
	for name, value := range merged {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// Ambient splits off the variables that do not depend on the program: PATH, SHELL and
// TERM, unless one of the layers sets them.
func Ambient(env []string, layers ...map[string]string) (own, ambient []string) {
	for _, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		is := slices.ContainsFunc([]string{"PATH", "SHELL", "TERM"}, func(n string) bool { return strings.EqualFold(n, name) })
		for _, layer := range layers {
			_, set := layer[name]
			is = is && !set
		}
		if is {
			ambient = append(ambient, pair)
		} else {
			own = append(own, pair)
		}
	}
	return own, ambient
}

// deleteFold removes name in any case: Path and PATH are the same variable on Windows.
func deleteFold(env map[string]string, name string) {
	for existing := range env {
		if strings.EqualFold(existing, name) {
			delete(env, existing)
		}
	}
}

package lock

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// DefinitionHash returns the hash of a server's command, arguments and URL as written,
// with unexpanded variables, so that it is the same on every machine.
func DefinitionHash(command string, args []string, url string) string {
	written, err := json.Marshal(struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
		URL     string   `json:"url"`
	}{command, args, url})
	if err != nil {
		return "" // strings always encode
	}
	return hash(written)
}

// runner is a program that downloads and runs a package.
type runner struct {
	// registry is the prefix of its packages' names.
	registry string
	// verbs are the subcommands that precede the package.
	verbs []string
	// named are the flags whose value is the package; valued are other flags with a
	// value.
	named, valued []string
}

func runnerOf(command string) (runner, bool) {
	base := path.Base(strings.ReplaceAll(command, `\`, "/"))
	for _, suffix := range []string{".exe", ".cmd", ".bat"} {
		base = strings.TrimSuffix(strings.ToLower(base), suffix)
	}
	npm := runner{registry: "npm:", named: []string{"-p", "--package"}, valued: []string{"-c", "--call", "-w", "--workspace"}}
	pypi := runner{registry: "pypi:", named: []string{"--from", "--spec"}, valued: []string{"--with", "--python", "-p", "--index-url", "--extra-index-url", "-w"}}
	switch base {
	case "npx", "bunx":
		return npm, true
	case "pnpm", "yarn", "npm", "bun":
		npm.verbs = []string{"dlx", "exec", "x"}
		return npm, true
	case "uvx":
		return pypi, true
	case "pipx":
		pypi.verbs = []string{"run"}
		return pypi, true
	case "docker", "podman":
		return runner{registry: "oci:", verbs: []string{"run"}, valued: []string{
			"-e", "--env", "--env-file", "-v", "--volume", "--mount", "-p", "--publish", "--name", "--network", "--net", "-w", "--workdir",
			"-u", "--user", "-l", "--label", "--add-host", "--entrypoint", "-m", "--memory", "--cpus", "--pull", "--platform", "--tmpfs", "--cap-drop", "--security-opt",
		}}, true
	}
	return runner{}, false
}

// PackageOf returns the package that a package manager runs, such as
// `npm:@scope/name@1.2.3`, `pypi:name==1.0` or `oci:image@sha256:…`; "" for an unknown
// command.
func PackageOf(command string, args []string) string {
	r, ok := runnerOf(command)
	if !ok {
		return ""
	}
	if len(r.verbs) > 0 {
		if len(args) == 0 || !slices.Contains(r.verbs, args[0]) {
			return ""
		}
		args = args[1:]
	}
	for i := 0; i < len(args); i++ {
		flag, value, joined := strings.Cut(args[i], "=")
		switch {
		case !strings.HasPrefix(args[i], "-"):
			return r.registry + args[i]
		case slices.Contains(r.named, flag) && joined:
			return r.registry + value
		case slices.Contains(r.named, flag) && i+1 < len(args):
			return r.registry + args[i+1]
		case slices.Contains(r.valued, flag) && !joined:
			i++
		}
	}
	return ""
}

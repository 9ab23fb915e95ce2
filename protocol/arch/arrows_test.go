package arch

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// daemonArrows lists, for each package below daemon/, the packages of ours that
// it may import. It is the drawing in .github/ARCHITECTURE.md in full: a new arrow is drawn
// in both, with a reason in its commit, and one that nothing takes any more is
// taken out.
func daemonArrows() map[string][]string {
	return map[string][]string{
		// What starts it: the process, the wiring of a session, and tests that drive one.
		"daemon/cmd/winnowd": {
			"daemon/holder", "daemon", "daemon/check", "daemon/check/source", "daemon/codec", "daemon/connect", "daemon/faces/gateway/relay", "daemon/socket", "daemon/hiddentext", "daemon/journal", "daemon/plainwords", "protocol",
		},
		"daemon/cmd/winnowteam": {"daemon/hiddentext", "daemon/journal", "daemon/team", "daemon/team/pg", "daemon/team/vault"},
		// The gateway of a team: a wiring of its own, of the same engine.
		"daemon/team": {
			"daemon/atomicfile", "daemon/broadcast", "daemon/config", "daemon/config/jsonc", "daemon/engine", "daemon/engine/host", "daemon/engine/toollock", "daemon/faces/gateway",
			"daemon/faces/gateway/mcpserver", "daemon/journal", "daemon/journal/otlp", "daemon/principal", "daemon/team/identity", "daemon/team/metrics", "daemon/team/pg", "daemon/team/policy", "daemon/team/vault",
			"daemon/trust/lock", "daemon/upstream", "protocol", "router",
		},
		"daemon/team/identity":  {"daemon/principal"},
		"daemon/team/metrics":   {},
		"daemon/team/policy":    {"router"},
		"daemon/team/pg":        {"daemon/journal", "daemon/team/vault", "daemon/trust/lock"},
		"daemon/team/vault":     {"daemon/principal"},
		"daemon/team/pg/pgtest": {},
		"daemon": {
			"daemon/holder", "daemon/connect", "daemon/engine", "daemon/engine/workspace", "daemon/faces/editor", "daemon/faces/gateway",
			"daemon/faces/lockfile", "daemon/faces/proxy", "daemon/faces/replay", "daemon/faces/terminal",
			"daemon/codec", "daemon/history", "daemon/journal", "daemon/launcher", "protocol",
		},
		"daemon/daemontest": {
			"daemon", "daemon/broadcast", "daemon/config/configtest", "daemon/hosttest", "daemon/upstream/upstreamtest", "protocol",
		},
		"daemon/hosttest": {
			"daemon/broadcast", "daemon/config/configtest", "protocol",
		},
		"daemon/daemontest/gatewaytest": {
			"daemon/daemontest", "daemon/socket", "protocol",
		},
		"daemon/engine/enginetest": {
			"daemon/principal",
			"daemon/broadcast", "daemon/config/configtest", "daemon/engine", "daemon/engine/host", "daemon/engine/tasks", "daemon/hosttest", "daemon/journal",
			"daemon/upstream/upstreamtest", "protocol",
		},
		"daemon/config/configtest": {
			"daemon/upstream/upstreamtest", "protocol",
		},

		// Faces: decode, call the engine, encode.
		"daemon/faces/editor": {
			"daemon/principal",
			"daemon/codec", "daemon/display", "daemon/engine", "daemon/engine/chats", "daemon/engine/failure", "daemon/engine/host",
			"daemon/engine/tasks", "protocol/ijson", "daemon/rpc", "daemon/upstream", "protocol",
		},
		"daemon/faces/gateway": {
			"daemon/codec", "daemon/connect", "daemon/engine", "daemon/engine/calls", "daemon/engine/failure",
			"daemon/engine/host", "daemon/engine/tasks", "daemon/engine/toollock", "daemon/engine/workspace",
			"daemon/faces/gateway/mcpserver", "daemon/socket", "protocol/ijson", "daemon/upstream",
			"protocol", "router",
		},
		"daemon/faces/gateway/mcpserver": {
			"daemon/principal",
			"daemon/debuglog", "protocol",
		},
		"daemon/faces/lockfile": {
			"daemon/atomicfile", "daemon/codec", "daemon/engine", "daemon/engine/host", "daemon/engine/toollock", "daemon/upstream", "protocol", "protocol/ijson", "daemon/trust/lock",
		},
		"daemon/faces/proxy": {
			"daemon/engine", "daemon/engine/chats", "daemon/engine/host", "daemon/faces/proxy/wire", "protocol", "router",
		},
		"daemon/faces/replay": {
			"daemon/principal",
			"daemon/codec", "daemon/display", "daemon/engine", "daemon/engine/chats", "daemon/engine/host", "daemon/engine/ownname", "daemon/hiddentext",
			"daemon/history", "daemon/history/claudecode", "daemon/history/codex", "daemon/history/copilotcli", "daemon/history/geminicli", "daemon/history/opencode", "daemon/history/vscode",
			"daemon/journal", "protocol", "router",
		},
		"daemon/faces/terminal": {
			"daemon/principal",
			"daemon/codec", "daemon/display", "daemon/engine", "daemon/engine/calls", "daemon/engine/host", "daemon/hiddentext", "daemon/holder", "protocol", "router/reasons",
		},
		"daemon/display":             {"daemon/hiddentext", "protocol", "router/reasons"},
		"daemon/faces/proxy/wire":    {"daemon/engine/chats"},
		"daemon/faces/gateway/relay": {"protocol/ijson"},
		"daemon/socket":              {},
		"daemon/holder":              {"protocol/ijson", "daemon/socket", "daemon/upstream/process"},

		// What clients and models make of a server's tools, for who writes it.
		"daemon/check":        {"daemon/codec", "daemon/display", "daemon/hiddentext", "daemon/trust/scan", "protocol", "protocol/ijson", "protocol/mcpobject", "ranker", "ranker/bank", "ranker/static", "router", "router/tokens"},
		"daemon/check/source": {"daemon/check", "daemon/upstream", "protocol"},

		// What clients keep of conversations.
		"daemon/history":            {},
		"daemon/history/claudecode": {"daemon/history"},
		"daemon/history/codex":      {"daemon/history"},
		"daemon/history/copilotcli": {"daemon/history"},
		"daemon/history/geminicli":  {"daemon/history"},
		"daemon/history/opencode":   {"daemon/history"},
		"daemon/history/vscode":     {"daemon/history", "protocol"},

		// The configurations of other clients, and the program that they start.
		"daemon/connect":  {"daemon/atomicfile", "daemon/config/jsonc"},
		"daemon/launcher": {"daemon/atomicfile"},

		// The engine, from its root down.
		"daemon/engine": {
			"daemon/plainwords", "daemon/principal",
			"daemon/holder", "daemon/engine/approvals", "daemon/engine/calls", "daemon/engine/catalog", "daemon/engine/conversations", "daemon/engine/embeddings",
			"daemon/engine/failure", "daemon/engine/folder", "daemon/engine/gating", "daemon/engine/host", "daemon/engine/learned",
			"daemon/engine/settings", "daemon/engine/stateless", "daemon/engine/tasks", "daemon/engine/telemetry",
			"daemon/codec", "daemon/engine/toollock", "daemon/engine/turns", "daemon/engine/vscode", "daemon/engine/workspace", "daemon/journal", "daemon/journal/otlp", "daemon/results", "daemon/upstream", "protocol", "router", "router/reasons",
		},
		"daemon/engine/vscode": {
			"daemon/codec", "daemon/engine/calls", "daemon/engine/catalog", "daemon/engine/chats", "daemon/engine/failure", "daemon/engine/settings",
			"daemon/engine/stateless", "daemon/engine/tasks", "protocol/ijson", "daemon/journal", "protocol", "router",
		},
		"daemon/engine/stateless": {
			"daemon/principal",
			"daemon/engine/calls", "daemon/engine/chats", "daemon/engine/conversations", "daemon/engine/failure", "daemon/engine/learned",
			"daemon/engine/tasks", "daemon/engine/turns", "daemon/engine/workspace", "protocol", "router",
			"daemon/engine/conversation",
		},
		"daemon/engine/turns": {
			"daemon/principal",
			"daemon/engine/calls", "daemon/engine/conversations", "daemon/engine/failure", "daemon/engine/gating",
			"daemon/engine/host", "daemon/engine/settings", "daemon/engine/tasks", "daemon/engine/telemetry",
			"daemon/engine/workspace", "daemon/results", "protocol", "router",
		},
		"daemon/engine/calls": {
			"daemon/principal",
			"daemon/arguments", "daemon/codec", "daemon/engine/catalog", "daemon/engine/failure",
			"daemon/engine/learned", "daemon/engine/settings", "daemon/engine/tasks", "daemon/engine/telemetry",
			"protocol/ijson", "daemon/journal", "daemon/program", "daemon/results", "daemon/results/shaping", "daemon/storage", "daemon/upstream", "protocol", "ranker", "router",
		},
		"daemon/engine/approvals": {"daemon/engine/failure", "protocol/ijson", "daemon/storage", "protocol"},
		"daemon/engine/gating": {
			"daemon/codec", "daemon/engine/failure", "protocol/ijson", "daemon/upstream", "protocol", "router",
		},
		"daemon/engine/ownname": {},
		"daemon/engine/chats":   {"protocol/ijson", "protocol"},
		"daemon/engine/conversations": {
			"daemon/storage", "protocol", "router", "daemon/engine/conversation",
		},
		"daemon/engine/conversation": {
			"protocol",
		},
		"daemon/engine/tasks": {
			"daemon/principal",
			"daemon/engine/failure", "protocol", "ranker", "router", "router/reasons",
		},
		"daemon/engine/embeddings": {
			"daemon/embed", "daemon/engine/catalog", "daemon/engine/host", "protocol", "router",
		},
		"daemon/engine/toollock": {
			"daemon/engine/failure", "daemon/engine/workspace", "protocol/ijson", "daemon/storage", "protocol", "router", "router/reasons", "daemon/trust/lock", "daemon/trust/scan",
		},
		"daemon/engine/catalog": {
			"daemon/broadcast", "daemon/codec", "daemon/config", "daemon/engine/failure", "daemon/engine/host", "daemon/engine/learned",
			"daemon/engine/settings", "daemon/engine/toollock", "daemon/engine/workspace", "daemon/hiddentext", "daemon/plainwords", "daemon/upstream", "daemon/upstream/process", "protocol", "ranker",
			"ranker/bank", "ranker/static", "router", "daemon/engine/ownname", "router/reasons",
		},
		"daemon/engine/workspace": {
			"daemon/config", "daemon/config/imports", "daemon/config/imports/history", "daemon/engine/failure",
			"daemon/engine/host", "daemon/engine/settings", "daemon/upstream", "daemon/upstream/process", "protocol", "router", "daemon/trust/lock", "router/reasons",
		},
		"daemon/engine/folder": {
			"ranker", "ranker/bank",
		},
		"daemon/engine/learned": {
			"protocol/ijson", "daemon/storage", "protocol", "ranker", "router", "router/tokens",
		},
		"daemon/engine/telemetry": {
			"protocol", "router",
		},
		"daemon/engine/settings": {
			"daemon/config/jsonc", "protocol", "protocol/spelling",
		},
		"daemon/engine/failure": {
			"protocol",
		},
		"daemon/engine/host": {
			"protocol",
		},

		// One piece of the world each.
		"daemon/config": {
			"daemon/atomicfile", "daemon/config/jsonc", "daemon/plainwords", "protocol/ijson", "daemon/secrets", "protocol", "protocol/spelling",
		},
		"daemon/config/imports": {
			"daemon/config", "daemon/config/jsonc", "protocol",
		},
		"daemon/config/imports/history": {
			"daemon/atomicfile", "daemon/config", "daemon/config/imports", "protocol", "protocol/ijson",
		},
		"daemon/config/jsonc": {},
		"daemon/trust/lock": {
			"protocol/ijson", "protocol/mcpobject", "protocol",
		},
		"daemon/trust/scan": {
			"protocol/ijson", "protocol/spelling", "protocol",
		},
		"daemon/upstream": {
			"daemon/plainwords", "daemon/principal", "daemon/holder", "daemon/codec", "daemon/storage", "daemon/upstream/clean", "daemon/upstream/fault", "daemon/upstream/process",
			"daemon/upstream/wire", "protocol",
		},
		"daemon/upstream/wire": {
			"daemon/principal",
			"daemon/holder", "daemon/codec", "daemon/debuglog", "daemon/hiddentext", "daemon/plainwords", "protocol/ijson", "daemon/upstream/clean", "daemon/upstream/fault",
			"daemon/upstream/oauth", "daemon/upstream/process", "protocol",
		},
		"daemon/upstream/oauth":        {"daemon/principal", "daemon/upstream/clean", "protocol"},
		"daemon/upstream/process":      {"daemon/upstream/fault", "protocol"},
		"daemon/upstream/clean":        {"daemon/hiddentext", "daemon/plainwords", "protocol/ijson", "daemon/secrets"},
		"daemon/upstream/fault":        {},
		"daemon/upstream/upstreamtest": {"daemon/broadcast"},
		"daemon/embed": {
			"daemon/storage", "protocol/ijson",
		},
		"daemon/results": {
			"daemon/principal",
			"protocol/ijson", "daemon/results/shaping", "daemon/storage",
		},
		"daemon/principal":       {},
		"daemon/program":         {},
		"daemon/results/shaping": {"protocol/ijson"},
		"daemon/storage":         {"daemon/atomicfile"},
		"daemon/journal":         {"daemon/principal", "daemon/hiddentext"},
		"daemon/journal/otlp":    {"daemon/journal", "daemon/secrets"},

		// What every keeper of the like does, as a test.
		"daemon/journal/journaltest":         {"daemon/journal", "daemon/principal"},
		"daemon/upstream/manifeststest":      {"daemon/upstream"},
		"daemon/engine/toollock/recordstest": {"daemon/engine/toollock", "daemon/trust/lock", "protocol"},

		"daemon/rpc": {
			"daemon/codec", "protocol/ijson", "protocol",
		},

		// Helpers that know nothing of Winnow.
		"daemon/arguments":  {},
		"daemon/atomicfile": {},
		"daemon/broadcast":  {},
		"daemon/codec":      {},
		"daemon/debuglog":   {},
		"daemon/hiddentext": {"protocol/ijson"},
		"daemon/plainwords": {"protocol/ijson"},
		"daemon/secrets":    {},
	}
}

// ourImports returns what each package under dir imports of ours, test files
// left out.
func ourImports(t *testing.T, dir string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	files := goFiles(t, dir)
	for _, f := range files {
		found[goImport{file: f.path}.dir()] = nil
	}
	for _, i := range importsOf(t, files) {
		if path, ours := strings.CutPrefix(i.path, module); ours && !slices.Contains(found[i.dir()], path) {
			found[i.dir()] = append(found[i.dir()], path)
		}
	}
	return found
}

// checkArrows fails on an arrow that a table does not have, and on one of the
// table that nothing takes.
func checkArrows(t *testing.T, table string, found, drawn map[string][]string) {
	t.Helper()
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		allowed, known := drawn[dir]
		if !known {
			t.Errorf("%s is not in %s: say there what it may import, and in .github/ARCHITECTURE.md where it stands", dir, table)
			continue
		}
		for _, path := range found[dir] {
			if !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s, an arrow that is not drawn; see %s", dir, path, table)
			}
		}
		for _, path := range allowed {
			if !slices.Contains(found[dir], path) {
				t.Errorf("%s does not import %s any more: take the arrow out of %s", dir, path, table)
			}
		}
	}
	for dir := range drawn {
		if _, ok := found[dir]; !ok {
			t.Errorf("%s is in %s, and there is no such folder", dir, table)
		}
	}
}

// TestDaemonArrows: inside the daemon every arrow is drawn, and every drawn
// arrow is there.
func TestDaemonArrows(t *testing.T) {
	t.Parallel()
	checkArrows(t, "daemonArrows", ourImports(t, "daemon"), daemonArrows())
}

// TestDaemonArrows_facesAreApart: a face is a folder that nothing else needs,
// so that a new one changes nothing: only what wires a session knows faces, and
// no face knows another.
func TestDaemonArrows_facesAreApart(t *testing.T) {
	t.Parallel()
	const faces = "daemon/faces/"
	face := func(path string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(path, faces), "/")
		return name
	}
	for dir, imports := range daemonArrows() {
		for _, path := range imports {
			switch {
			case !strings.HasPrefix(path, faces):
			case dir == "daemon", dir == "daemon/team", dir == "daemon/cmd/winnowd":
			case strings.HasPrefix(dir, "daemon/daemontest/"): // drives a whole session, as its clients do
			case strings.HasPrefix(dir, faces) && face(dir) == face(path):
			default:
				t.Errorf("%s imports %s: only the wiring knows faces", dir, path)
			}
		}
	}
}

// TestDaemonArrows_onlyFacesKnowTheWire: the engine is below every face and
// knows no connection.
func TestDaemonArrows_onlyFacesKnowTheWire(t *testing.T) {
	t.Parallel()
	for dir, imports := range daemonArrows() {
		if slices.Contains(imports, "daemon/rpc") && dir != "daemon/faces/editor" {
			t.Errorf("%s imports daemon/rpc, which is the editor face's", dir)
		}
	}
}

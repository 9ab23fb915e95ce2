package arch

import (
	"slices"
	"strings"
)

// module is our own module's path.
const module = "github.com/winnow-mcp/winnow/"

// rule limits what the Go files under one folder import.
type rule struct {
	// dir is a folder from the root; the rule with the longest dir that holds a
	// package is the one for it.
	dir string
	// modules are the import paths besides the standard library's, each with
	// all below it. Our own are written from the root.
	modules []string
	// banned are standard packages, each with all below it.
	banned []string
	why    string
}

// rules returns the rule of each room.
func rules() []rule {
	world := []string{"net", "os", "syscall", "log", "plugin", "runtime/debug"}
	return []rule{
		{
			dir: "protocol", banned: append(world, "io", "sync", "context", "time"),
			why: "protocol declares; it holds no logic and no I/O",
		},
		{dir: "protocol/generate", modules: []string{"protocol"}, why: "the generator knows protocol only"},
		{dir: "protocol/arch", why: "the architecture's tests need nothing"},
		{
			dir:     "ranker",
			modules: []string{"ranker", "golang.org/x/text", "github.com/philippgille/chromem-go", "github.com/blevesearch/snowballstem"},
			banned:  world,
			why:     "ranking is a pure function of values: no network, no files, no MCP, no JSON-RPC",
		},
		{dir: "ranker/eval", modules: []string{"ranker"}, why: "the evaluation measures the ranker only"},
		{dir: "ranker/internal/dictionary/generate", modules: []string{"ranker"}, why: "the generator compiles word lists, no more"},
		{dir: "ranker/static/train", modules: []string{"ranker", "golang.org/x/text"}, why: "training serves the ranker only"},
		{dir: "ranker/bank/phrasings", modules: []string{"ranker"}, why: "the command that looks after the phrasings serves the ranker only"},
		{
			dir: "protocol/ijson", modules: []string{"protocol/ijson", "github.com/go-json-experiment/json"},
			banned: append(world, "context", "io/fs"), why: "JSON as router and daemon read it: values in, values out, no I/O",
		},
		{
			dir: "protocol/mcpobject", modules: []string{"protocol/ijson", "github.com/go-json-experiment/json"},
			banned: append(world, "context", "io/fs"), why: "what a server sent, in values",
		},
		{
			dir: "protocol/spelling", modules: []string{"github.com/agnivade/levenshtein"},
			banned: append(world, "context", "io/fs"), why: "words alike, in values",
		},
		{
			dir:     "router",
			modules: []string{"protocol", "ranker", "router", "github.com/tiktoken-go/tokenizer", "github.com/go-json-experiment/json"},
			banned:  append(world, "context", "io/fs"),
			why:     "routing is a pure core: values in, values out, no I/O",
		},
		{
			dir: "daemon/trust", modules: []string{"protocol/ijson", "protocol/mcpobject", "protocol/spelling", "protocol", "github.com/go-json-experiment/json", "go.mau.fi/util"},
			banned: append(world, "context", "io/fs"), why: "what servers say of their tools is compared in values",
		},
		{
			dir: "daemon/engine/conversation", modules: []string{"protocol"},
			banned: append(world, "context", "io/fs"), why: "conversations are told apart in values",
		},
		{dir: "router/eval", modules: []string{"protocol", "ranker", "router"}, why: "the evaluation measures what the router attaches"},
		{
			dir: "daemon/config/jsonc", modules: []string{"github.com/tailscale/hujson"},
			banned: append(world, "context"), why: "the editor works on texts",
		},
		{
			dir: "daemon/config/imports", modules: []string{"daemon/config", "protocol"},
			banned: append(world, "context", "io/fs"), why: "moves are planned in values; history reads and writes",
		},
		{
			dir: "daemon/config/imports/history", modules: []string{"daemon/config", "daemon/atomicfile", "protocol"},
			why: "what is kept of moves",
		},
		{dir: "daemon"}, // touches the world; what it imports of ours is in arrows_test.go
	}
}

// home says which files may import a library that must be replaceable in one
// place.
type home struct {
	library string
	// dirs hold every file that imports the library, in themselves or below.
	dirs []string
	// files is the most files that import it; 0 is any number.
	files int
}

// homes returns the libraries that are kept in one room.
func homes() []home {
	return []home{
		{library: "go.lsp.dev/jsonrpc2", dirs: []string{"daemon/rpc"}, files: 1},
		{library: "github.com/mark3labs/mcp-go", dirs: []string{"daemon/upstream", "daemon/faces/gateway/mcpserver", "daemon/daemontest/gatewaytest"}},
		{library: "github.com/philippgille/chromem-go", dirs: []string{"ranker"}},
		{library: "github.com/fsnotify/fsnotify", dirs: []string{"daemon/config"}},
		{library: "github.com/google/renameio", dirs: []string{"daemon/atomicfile"}},
		{library: "github.com/tailscale/hujson", dirs: []string{"daemon/config"}},
		{library: "github.com/goccy/go-yaml", dirs: []string{"daemon/config"}},
		{library: "github.com/tiktoken-go/tokenizer", dirs: []string{"router/tokens"}},
		{library: "github.com/agnivade/levenshtein", dirs: []string{"protocol/spelling"}},
		{library: "github.com/rivo/uniseg", dirs: []string{"daemon/display"}, files: 1},
		{library: "go.mau.fi/util", dirs: []string{"daemon/trust/scan"}, files: 1},
		{library: "github.com/go-json-experiment/json", dirs: []string{"protocol/ijson", "router", "daemon/codec", "daemon/trust", "daemon/faces/proxy/wire"}, files: 7},
		{library: "github.com/pelletier/go-toml", dirs: []string{"daemon/connect", "daemon/config"}, files: 3},
		{library: "github.com/tmaxmax/go-sse", dirs: []string{"daemon/faces/proxy"}, files: 1},
		{library: "github.com/klauspost/compress", dirs: []string{"daemon/faces/proxy"}, files: 1},
		{library: "github.com/ohler55/ojg", dirs: []string{"daemon/results"}},
		{library: "go.starlark.net", dirs: []string{"daemon/program"}},
		{library: "github.com/santhosh-tekuri/jsonschema", dirs: []string{"daemon/arguments"}},
		{library: "github.com/jackc/pgx", dirs: []string{"daemon/team/pg"}},
		{library: "github.com/pressly/goose", dirs: []string{"daemon/team/pg"}, files: 1},
		{library: "github.com/coreos/go-oidc", dirs: []string{"daemon/team/identity"}, files: 1},
		{library: "github.com/prometheus/client_golang", dirs: []string{"daemon/team/metrics"}, files: 1},
		{library: "golang.org/x/oauth2", dirs: []string{"daemon/team/vault"}},
		{library: "github.com/cedar-policy/cedar-go", dirs: []string{"daemon/team/policy"}, files: 1},
		{library: "go.opentelemetry.io", dirs: []string{"daemon/journal/otlp"}},
	}
}

// goImport is one import of one Go file, the file from the root with slashes.
type goImport struct{ file, path string }

// dir is the folder of the importing file.
func (i goImport) dir() string {
	if slash := strings.LastIndexByte(i.file, '/'); slash >= 0 {
		return i.file[:slash]
	}
	return "."
}

// forbidden says why a rule forbids an import; empty when none does.
func forbidden(i goImport, rules []rule) string {
	r := ruleFor(i.dir(), rules)
	if r.dir == "" {
		return "no rule names this folder; the top level is fixed"
	}
	path, ours := strings.CutPrefix(i.path, module)
	standard := !ours && !strings.Contains(strings.SplitN(path, "/", 2)[0], ".")
	holds := func(dir string) bool { return within(path, dir) }
	if standard && !slices.ContainsFunc(r.banned, holds) || !standard && slices.ContainsFunc(r.modules, holds) {
		return ""
	}
	return r.why
}

// ruleFor returns the rule of the innermost folder that holds dir.
func ruleFor(dir string, rules []rule) (best rule) {
	for _, r := range rules {
		if within(dir, r.dir) && len(r.dir) > len(best.dir) {
			best = r
		}
	}
	return best
}

// strays returns the files that import a library outside its home, or beyond
// the number of files that it may have.
func (h home) strays(imports []goImport) []string {
	var inside, outside []string
	for _, i := range imports {
		switch {
		case !within(i.path, h.library):
		case slices.ContainsFunc(h.dirs, func(dir string) bool { return within(i.dir(), dir) }):
			inside = append(inside, i.file)
		default:
			outside = append(outside, i.file)
		}
	}
	inside = slices.Compact(inside)
	if h.files > 0 && len(inside) > h.files {
		outside = append(outside, inside...)
	}
	return outside
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+"/")
}

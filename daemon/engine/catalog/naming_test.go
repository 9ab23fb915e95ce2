package catalog_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/engine/ownname"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestNaming_sameOrder: the tools of a search come in the same order, for the same
// reasons, whatever a client calls them and whether or not it says what their
// servers do.
func TestNaming_sameOrder(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, nil)
	tools := smallSet[protocol.HostTool](t, "tools.jsonl")
	// A host's names are unique and in ASCII; and of a single translate_text nobody
	// can tell whether its server's name is before it.
	left := []string{"linear", "天气", "translate"}
	tools = slices.DeleteFunc(tools, func(t protocol.HostTool) bool { return slices.Contains(left, t.Server) })
	queries := smallSet[struct{ Query string }](t, "queries.jsonl")[:12]
	for label, suffix := range map[string]string{"short": "", "long": " Enterprise Edition"} {
		want := foundBy(h, label, suffix, tools, queries, true, func(server, tool string) (string, string) { return server, server + "/" + tool })
		if len(want) < 300 {
			t.Fatalf("only %d places to compare", len(want))
		}
		for client, name := range clientNames {
			for _, tells := range []bool{true, false} {
				if host, _ := name("a"+suffix, "b"); host == ownname.Unknown && (tells || suffix != "") {
					continue // VS Code tells of a tool's own name where it tells of its server; a cut name tells no server's
				}
				got := foundBy(h, label+client, suffix, tools, queries, tells, name)
				if len(got) != len(want) {
					t.Errorf("%s servers, %s, own names told %t: %d places, want %d", label, client, tells, len(got), len(want))
					continue
				}
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("%s servers, %s, own names told %t: got\n%s, want\n%s", label, client, tells, got[i], want[i])
						break
					}
				}
			}
		}
	}
}

// clientNames are what clients make of a server's name and a tool's.
var clientNames = map[string]func(server, tool string) (label, name string){
	"the server's own": func(server, tool string) (string, string) { return server, tool },
	"opencode":         func(server, tool string) (string, string) { return server, plain(server) + "_" + tool },
	"Cline":            func(server, tool string) (string, string) { return server, plain(server) + "__" + tool },
	"Claude Code":      func(server, tool string) (string, string) { return server, "mcp__" + plain(server) + "__" + tool },
	"Roo Code":         func(server, tool string) (string, string) { return server, "mcp--" + plain(server) + "--" + tool },
	"Gemini CLI":       func(server, tool string) (string, string) { return server, "mcp_" + plain(server) + "_" + tool },
	"VS Code":          func(server, tool string) (string, string) { return server, vscodePrefix(server) + tool },
	"VS Code, server unknown": func(server, tool string) (string, string) {
		return ownname.Unknown, vscodePrefix(server) + tool
	},
}

func plain(server string) string { return strings.ReplaceAll(server, " ", "_") }

// vscodePrefix is what VS Code puts before a tool's name: at most 18 characters.
func vscodePrefix(server string) string {
	legal := "mcp_" + strings.ToLower(plain(server))
	return legal[:min(len(legal), 17)] + "_"
}

// foundBy hands the tools over under a client's names and searches; it returns a
// line for each place of each answer.
func foundBy(h *enginetest.Host, source, suffix string, tools []protocol.HostTool, queries []struct{ Query string }, tells bool, name func(server, tool string) (string, string)) []string {
	own, named := map[string]string{}, make([]protocol.HostTool, len(tools))
	for i, tool := range tools {
		server, host := name(tool.Server+suffix, tool.Name)
		own[host] = tool.Server + "/" + tool.Name
		if named[i] = tool; tells {
			named[i].Tool = tool.Name
		}
		named[i].Server, named[i].Name = server, host
	}
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: source, Tools: named})
	var lines []string
	for _, q := range queries {
		answer := enginetest.Call(h, h.CatalogSearch, protocol.CatalogSearchParams{Query: q.Query, Source: source, Limit: 100, Explain: true})
		for _, found := range answer.Tools {
			why, _ := json.Marshal(found.Why)
			lines = append(lines, q.Query+": "+own[found.Name]+" "+string(why))
		}
	}
	return lines
}

// smallSet reads a file of the evaluation's set that ships.
func smallSet[T any](t *testing.T, file string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "ranker", "eval", "evaluate", "testdata", "small", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var items []T
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var item T
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	return items
}

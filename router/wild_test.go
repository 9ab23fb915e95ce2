package router

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/tokens"
)

var catalogDir = flag.String("catalog", "", "folder of JSON files {\"tools\":[...]}, each one server's answer to tools/list")

// wildServers reads the servers of the -catalog folder, in the order of their
// files.
func wildServers(t *testing.T) []ServerInput {
	t.Helper()
	if *catalogDir == "" {
		t.Skip("no folder of captured servers; give one by -args -catalog DIR")
	}
	files, err := filepath.Glob(filepath.Join(*catalogDir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no JSON files in %s: %v", *catalogDir, err)
	}
	servers := make([]ServerInput, len(files))
	for i, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Tools []json.RawMessage `json:"tools"`
		}
		if err := json.Unmarshal(raw, &answer); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		servers[i] = ServerInput{Name: strings.TrimSuffix(filepath.Base(file), ".json"), Tools: answer.Tools}
	}
	return servers
}

// TestWild takes all captured servers as one catalogue: every tool keeps a
// legal, unique, reversible name and its schema byte for byte, and routes. It
// logs what that takes.
func TestWild(t *testing.T) {
	servers := wildServers(t)
	counter := tokens.New()
	for _, qualified := range []bool{true, false} {
		before := heap()
		start := time.Now()
		c := BuildCatalog(CatalogInput{Servers: servers, Qualified: qualified, Count: counter.Count}, nil)
		cold := time.Since(start)
		start = time.Now()
		next := BuildCatalog(CatalogInput{Servers: servers, Qualified: qualified, Count: counter.Count}, c)
		warm := time.Since(start)
		wantGoodNames(t, c)
		wantSame(t, "names of a second build", presented(next), presented(c))
		wantBytes(t, servers, c)
		t.Logf("qualified %v: %d servers, %d tools, %d tokens; built in %v, again in %v; %d names are bare, %d hashed",
			qualified, len(c.Servers), len(c.Tools), catalogTokens(c), cold, warm, countNames(c, bare), countNames(c, hashed))
		wantRoutes(t, c)
		runtime.KeepAlive(next)
		t.Logf("heap: %.1f MB more than the JSON of the servers", float64(heap()-before)/(1<<20))
		runtime.KeepAlive(c)
	}
}

// heap returns the bytes that are alive.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func countNames(c *Catalog, is func(*Tool) bool) int {
	n := 0
	for i := range c.Tools {
		if is(&c.Tools[i]) {
			n++
		}
	}
	return n
}

func bare(t *Tool) bool { return t.Name == t.ID.Tool }

func hashed(t *Tool) bool { return !bare(t) && t.Name != "mcp__"+t.ID.Server+"__"+t.ID.Tool }

// wantBytes fails unless each tool that was sent is there, with the schema as
// it was sent, or a warning says why not.
func wantBytes(t *testing.T, servers []ServerInput, c *Catalog) {
	t.Helper()
	for i, in := range servers {
		s := &c.Servers[i]
		if missing := len(in.Tools) - (s.End - s.First); missing != len(s.Warnings) {
			t.Errorf("%s: %d tools are missing, warnings %q", s.Name, missing, s.Warnings)
		}
		for _, raw := range in.Tools {
			var sent struct {
				Name        string          `json:"name"`
				InputSchema json.RawMessage `json:"inputSchema"`
			}
			if err := json.Unmarshal(raw, &sent); err != nil {
				t.Fatalf("%s: %v", s.Name, err)
			}
			at, ok := c.Lookup(ref(s.Name, sent.Name))
			switch {
			case !ok:
				t.Errorf("%s/%s is not in the catalogue", s.Name, sent.Name)
			case !bytes.Equal(c.Tools[at].Raw, raw):
				// Listed twice; the first counts.
				if len(s.Warnings) == 0 {
					t.Errorf("%s/%s is not what was sent", s.Name, sent.Name)
				}
			case !bytes.Equal(c.Tools[at].Schema, sent.InputSchema):
				t.Errorf("the schema of %s/%s is not what was sent", s.Name, sent.Name)
			}
		}
	}
}

// wantRoutes opens a task for a sample of the tools, asks for each in its own
// words, and calls what is attached.
func wantRoutes(t *testing.T, c *Catalog) {
	t.Helper()
	settings := protocol.DefaultSettings()
	v := NewView(c, &settings, nil)
	start := time.Now()
	v.Open(Opening{ID: "first", Message: "create an issue"})
	first := time.Since(start)
	var took []time.Duration
	found, asked := 0, 0
	for i := 0; i < len(c.Tools); i += 1 + len(c.Tools)/1_000 {
		tool := &c.Tools[i]
		message := tool.ID.Server + " " + tool.ID.Tool + " " + firstLine(tool.Description)
		start := time.Now()
		task := v.Open(Opening{ID: "t", Message: message})
		took = append(took, time.Since(start))
		asked++
		if task.Has(tool.ID) >= 0 {
			found++
		}
		if len(task.Attached) < settings.InitialK || task.Routing != protocol.AttachDynamic {
			t.Errorf("%q attaches %d tools", message, len(task.Attached))
		}
		task, loaded := v.Load(task, Request{Names: []string{tool.Name}})
		if len(loaded.Tools) != 1 || task.Has(tool.ID) < 0 {
			t.Errorf("%s cannot be loaded: %s", tool.ID, loaded.Text)
		}
		if _, d, err := v.Call(task, tool.Name); err != nil || d.ID != tool.ID {
			t.Errorf("%s cannot be called: %v", tool.ID, err)
		}
	}
	slices.Sort(took)
	t.Logf("the first task takes %v with the index, %d others p50 %v, p99 %v; %d of them attach the tool they name",
		first, asked, took[len(took)/2], took[len(took)*99/100], found)
	if found < asked*9/10 {
		t.Errorf("only %d of %d messages attach the tool that they name", found, asked)
	}
}

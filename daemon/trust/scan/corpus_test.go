package scan_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/trust/scan"
)

// The corpora are other people's texts, and not kept here.
var (
	poisoned = flag.String("poisoned", "", "a `file` of poisoned MCP Tool objects, one JSON object a line")
	harmless = flag.String("harmless", "", "a `folder` of files with harmless MCP Tool objects under \"tools\"")
	missed   = flag.Bool("missed", false, "tell what is missed, and what is found in harmless tools")
)

// TestCorpora measures recall and false alarms on corpora that flags name.
func TestCorpora(t *testing.T) {
	if *poisoned == "" && *harmless == "" {
		t.Skip("no corpus: use -poisoned FILE and -harmless FOLDER")
	}
	if *poisoned != "" {
		found, all := 0, 0
		for _, raw := range lines(t, *poisoned) {
			all++
			if len(scan.Tool(raw).Findings) > 0 {
				found++
			} else if *missed {
				t.Logf("missed: %.400s", raw)
			}
		}
		t.Logf("poisoned: found %d of %d", found, all)
	}
	if *harmless != "" {
		alarms, all, servers, kinds := 0, 0, map[string]bool{}, map[string]int{}
		files, err := filepath.Glob(filepath.Join(*harmless, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			for _, raw := range toolsOf(t, file) {
				all++
				findings := scan.Tool(raw).Findings
				if len(findings) == 0 {
					continue
				}
				alarms++
				servers[file] = true
				kinds[string(findings[0].Kind)]++
				if *missed {
					t.Logf("%s: %+v", filepath.Base(file), findings)
				}
			}
		}
		t.Logf("harmless: findings at %d of %d tools, of %d of %d servers: %v", alarms, all, len(servers), len(files), kinds)
	}
}

func lines(t *testing.T, file string) []json.RawMessage {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []json.RawMessage
	for s := bufio.NewScanner(f); s.Scan(); {
		all = append(all, json.RawMessage(append([]byte(nil), s.Bytes()...)))
	}
	return all
}

func toolsOf(t *testing.T, file string) []json.RawMessage {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var server struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(data, &server); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return server.Tools
}

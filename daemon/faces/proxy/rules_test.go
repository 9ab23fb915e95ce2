package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// forbiddingFile is a user's file that forbids danger of two servers; their
// names are as long as some are.
const forbiddingFile = `{"endpoints":{"test":{"url":%q},"deferring":{"url":%q,"deferTools":true}},"servers":{
 "Reference of Everything":{"disabledTools":["danger","to.the.point","danger_that_is_described_at_length_in_the_name_of_the_tool_itself"]},"files":{"disabledTools":["danger"]}}}`

// function declares a tool as chat completions do.
func function(name string) string {
	return fmt.Sprintf(`{"type":"function","function":{"name":%q,"parameters":{"type":"object"}}}`, name)
}

// What a rule forbids is not sent however the client writes its name, in requests
// from which nothing can be chosen, and where the client asks for the tool.
func TestAlone_forbidden(t *testing.T) {
	t.Parallel()
	provider := &scriptedProvider{answers: []string{textAnswer}}
	server := httptest.NewServer(provider)
	t.Cleanup(server.Close)
	p := startProxyFile(t, fmt.Sprintf(forbiddingFile, server.URL, server.URL))
	const ask = `"messages":[{"role":"user","content":"danger, and be safe"}]`
	flat := func(name, more string) string {
		return fmt.Sprintf(`{"type":"function","name":%q,"parameters":{"type":"object"}%s}`, name, more)
	}
	block := func(name, more string) string {
		return fmt.Sprintf(`{"name":%q,"input_schema":{"type":"object"}%s}`, name, more)
	}
	for name, tt := range map[string]struct{ path, body string }{
		"few tools":                   {"test/chat/completions", `{` + ask + `,"tools":[` + function("mcp__files__danger") + "," + function("mcp__files__safe") + `]}`},
		"a name that VS Code has cut": {"test/chat/completions", `{` + ask + `,"tools":[` + function("mcp_reference_of__danger") + "," + function("mcp_reference_of__safe") + `]}`},
		"a tool's name cut":           {"test/chat/completions", `{` + ask + `,"tools":[` + function("mcp_reference_of__danger_that_is_described_at_length_in_the_name_of_the_tool_itself"[:64]) + "," + function("mcp_reference_of__safe") + `]}`},
		"alone":                       {"test/chat/completions", `{"tools":[` + function("files_danger") + `],"tool_choice":"auto",` + ask + `,"parallel_tool_calls":true}`},
		"alone, at the end":           {"test/responses", `{"input":"go","tool_choice":{"type":"function","name":"files_danger"},"tools":[` + flat("files_danger", "") + `]}`},
		"a dot replaced":              {"test/chat/completions", `{` + ask + `,"tools":[` + function("mcp_reference_of__to_the_point") + "," + function("mcp_reference_of__safe") + `]}`},
		"no message":                  {"test/chat/completions", `{"messages":[],"tools":[` + function("files_danger") + "," + function("files_safe") + `]}`},
		"listed twice":                {"test/chat/completions", `{` + ask + `,"tools":[` + function("files_danger") + "," + function("files_danger") + "," + function("files_safe") + `]}`},
		"asked for":                   {"test/chat/completions", `{` + ask + `,"tool_choice":{"type":"function","function":{"name":"files_danger"}},"tools":[` + function("files_danger") + "," + function("files_safe") + `]}`},
		"a part of a whole":           {"test/responses", `{"previous_response_id":"r1","input":"danger","tools":[` + flat("files_danger", "") + "," + flat("files_safe", "") + `]}`},
		"of a namespace":              {"test/responses", `{"input":"danger","tools":[{"type":"namespace","name":"mcp__files","tools":[` + flat("danger", "") + "," + flat("safe", "") + `]}]}`},
		"deferred by the client":      {"test/messages", `{` + ask + `,"tools":[` + block("mcp__files__danger", `,"defer_loading":true`) + "," + block("mcp__files__safe", "") + `]}`},
		"deferred":                    {"deferring/messages", `{` + ask + `,"tools":[` + block("mcp__files__danger", "") + "," + block("mcp__files__safe", "") + `]}`},
	} {
		before := len(provider.bodies)
		resp, err := http.Post(strings.Replace(p.url, "test/chat/completions", tt.path, 1), "application/json", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || len(provider.bodies) != before+1 {
			t.Fatalf("%s: got %d %s, %v", name, resp.StatusCode, answer, err)
		}
		_, tools, _ := strings.Cut(string(provider.bodies[before]), `"tools":`)
		if strings.HasPrefix(name, "alone") { // no list, which would be empty, nor what belongs to one
			if got := string(provider.bodies[before]); !json.Valid(provider.bodies[before]) || strings.Contains(got, "tool") {
				t.Errorf("%s: the provider got %s, want neither tools nor a choice", name, got)
			}
			continue
		}
		if strings.Contains(tools, "danger") || strings.Contains(tools, "point") || !strings.Contains(tools, "safe") {
			t.Errorf("%s: the provider got the tools %s, want the safe one alone", name, tools)
		}
	}
}

// What was sent before a rule forbade it stays in the conversation's requests as
// it was, and is neither loaded nor sent in another conversation. Where nothing is
// chosen it leaves with the next message.
func TestAlone_forbiddenLater(t *testing.T) {
	t.Parallel()
	for name, filler := range map[string]int{"few tools": 0, "chosen": 80} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider := &scriptedProvider{answers: []string{textAnswer}}
			server := httptest.NewServer(provider)
			t.Cleanup(server.Close)
			file := func(rule string) string {
				return fmt.Sprintf(`{"endpoints":{"test":{"url":%q}},"servers":{"files":{"disabledTools":[%s]}}}`, server.URL, rule)
			}
			p := startProxyFile(t, file(""))
			tools := []string{function("files_danger"), function("files_safe")}
			for i := range filler {
				tools = append(tools, function(fmt.Sprintf("mcp__garden__tool_%d", i)))
			}
			sent := func(messages string) bool {
				t.Helper()
				resp, err := http.Post(p.url, "application/json", strings.NewReader(`{"messages":[`+messages+`],"tools":[`+strings.Join(tools, ",")+`]}`))
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					t.Fatal(err)
				}
				_, tools, _ := strings.Cut(string(provider.bodies[len(provider.bodies)-1]), `"tools":`)
				return strings.Contains(tools, "files_danger")
			}
			const first = `{"role":"user","content":"a danger for files"}`
			if !sent(first) {
				t.Fatal("without a rule the tool is not sent")
			}
			if err := os.WriteFile(filepath.Join(p.configuration, "winnow.json"), []byte(file(`"danger"`)), 0o600); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			for i := 0; sent(fmt.Sprintf(`{"role":"user","content":"another danger for files, %d"}`, i)); i++ {
				if time.Since(began) > time.Minute {
					t.Fatal("a new conversation has the tool still, a minute after the rule was written")
				}
			}
			later := first + `,{"role":"assistant","content":"Done."},{"role":"user","content":"and more danger"}`
			if got, want := sent(later), filler > 0; got != want {
				t.Errorf("the conversation that had the tool: sent %t, want %t", got, want)
			}
		})
	}
}

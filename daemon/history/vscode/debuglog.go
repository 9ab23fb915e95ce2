package vscode

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-mcp/winnow/daemon/history"
)

// line is a line of a debug log (chatDebugFileLogger in the Copilot extension).
type line struct {
	Type  string  `json:"type"`
	At    float64 `json:"ts"`
	Attrs struct {
		Debug     string `json:"debugName"`
		ToolsFile string `json:"toolsFile"`
		Input     int    `json:"inputTokens"`
		Cached    *int   `json:"cachedTokens"`
		Output    int    `json:"outputTokens"`
	} `json:"attrs"`
}

// definition is a tool in a tools file, in one of OpenTelemetry's forms.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Function    *definition     `json:"function"`
}

// addDebugLog adds the tools and the usage of a chat's requests, if there is a debug log.
// A list or a request belongs to the latest message before it.
func addDebugLog(l *history.Log, c *history.Conversation, dir string) {
	for n := 0; ; n++ {
		file := filepath.Join(dir, fmt.Sprintf("tools_%d.json", n))
		info, err := os.Stat(file)
		if err != nil {
			break
		}
		if tools := toolsIn(file); tools != nil {
			c.Turns[max(0, turnAt(c, info.ModTime()))].Offered = &history.Offer{Tools: tools, Groups: true}
		}
	}
	f, err := os.Open(filepath.Join(dir, "main.jsonl"))
	if err != nil {
		return // there is no debug log
	}
	defer func() { _ = f.Close() }()
	requests := map[int]int{}
	history.Lines(l, f, func(e *line) {
		turn := turnAt(c, history.Millis(e.At))
		if e.Type != "llm_request" || e.Attrs.ToolsFile == "" || turn < 0 {
			return
		}
		t := &c.Turns[turn]
		if i := requests[turn]; i < len(t.Requests) && e.Attrs.Cached != nil {
			cached := *e.Attrs.Cached
			t.Requests[i].Usage = &history.Usage{Input: max(0, e.Attrs.Input-cached), CacheRead: cached, Output: e.Attrs.Output}
		}
		requests[turn]++
	})
}

// turnAt returns the index of the latest turn that began by at; -1 for none.
func turnAt(c *history.Conversation, at time.Time) int {
	latest := -1
	for i := range c.Turns {
		if !c.Turns[i].At.After(at) {
			latest = i
		}
	}
	return latest
}

// toolsIn returns the tools in a file of the log, which holds them as text in `content`;
// nil if it cannot be read.
func toolsIn(file string) []history.Tool {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var kept struct {
		Content string `json:"content"`
	}
	if json.Unmarshal(raw, &kept) == nil && kept.Content != "" {
		raw = []byte(kept.Content)
	}
	var list []definition
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	tools := make([]history.Tool, 0, len(list))
	for _, d := range list {
		if d.Function != nil {
			d = *d.Function
		}
		tools = append(tools, history.Tool{Name: d.Name, Description: d.Description, Schema: d.Parameters})
	}
	return tools
}

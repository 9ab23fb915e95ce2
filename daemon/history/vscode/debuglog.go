package vscode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

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

// definition is a tool of a tools file, in one of the forms of OpenTelemetry's.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Function    *definition     `json:"function"`
}

// addDebugLog adds to a chat which tools its requests carried, and what they cost,
// where there is a log of them. A request belongs to the latest message before it.
func addDebugLog(l *history.Log, c *history.Conversation, dir string) {
	f, err := os.Open(filepath.Join(dir, "main.jsonl"))
	if err != nil {
		return // the user has none
	}
	defer func() { _ = f.Close() }()
	shown, requests := "", map[int]int{}
	history.Lines(l, f, func(e *line) {
		if e.Type != "llm_request" || e.Attrs.ToolsFile == "" {
			return
		}
		at := history.Millis(e.At)
		turn := slices.IndexFunc(c.Turns, func(t history.Turn) bool { return t.At.After(at) }) - 1
		if turn == -2 {
			turn = len(c.Turns) - 1
		}
		if turn < 0 {
			return
		}
		t := &c.Turns[turn]
		if e.Attrs.ToolsFile != shown {
			if tools := toolsIn(filepath.Join(dir, filepath.Base(e.Attrs.ToolsFile))); tools != nil {
				t.Offered, shown = &history.Offer{Tools: tools}, e.Attrs.ToolsFile
			}
		}
		if i := requests[turn]; i < len(t.Requests) && e.Attrs.Cached != nil {
			cached := *e.Attrs.Cached
			t.Requests[i].Usage = &history.Usage{Input: max(0, e.Attrs.Input-cached), CacheRead: cached, Output: e.Attrs.Output}
		}
		requests[turn]++
	})
}

func toolsIn(file string) []history.Tool {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil
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

package lockfile

import (
	"fmt"
	"io"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
)

// Formats are the formats of [Report].
var Formats = []string{"text", "json", "sarif"}

// Report writes differences in a format of [Formats].
func Report(w io.Writer, format string, found []lock.Difference) error {
	switch format {
	case "json":
		if found == nil {
			found = []lock.Difference{}
		}
		return codec.Write(w, map[string]any{"differences": found})
	case "sarif":
		return codec.Write(w, sarif(found))
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(w, "Every server offers what is locked.")
		return err
	}
	for i := range found {
		if _, err := fmt.Fprintln(w, sentence(&found[i])); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, "Look at what has changed; if it is right, write the lock by `winnowd lock -update` and commit it.")
	return err
}

// sentence describes a difference.
func sentence(d *lock.Difference) string {
	switch d.Kind {
	case lock.NewServer:
		return fmt.Sprintf("%s: the server is not locked", d.Server)
	case lock.MissingServer:
		return fmt.Sprintf("%s: the server is locked, and no file of the workspace defines it", d.Server)
	case lock.ChangedInstructions:
		return fmt.Sprintf("%s: the server's instructions have changed", d.Server)
	case lock.NewTool:
		return fmt.Sprintf("%s: the tool %s is not locked", d.Server, d.Tool)
	case lock.MissingTool:
		return fmt.Sprintf("%s: the tool %s is locked, and gone", d.Server, d.Tool)
	}
	what, name := "tool", d.Tool
	if d.Prompt != "" {
		what, name = "prompt", d.Prompt
	}
	switch d.Kind {
	case lock.NewPrompt:
		return fmt.Sprintf("%s: the prompt %s is not locked", d.Server, name)
	case lock.MissingPrompt:
		return fmt.Sprintf("%s: the prompt %s is locked, and gone", d.Server, name)
	}
	parts := make([]string, len(d.Parts))
	for i, part := range d.Parts {
		parts[i] = string(part)
	}
	return fmt.Sprintf("%s: the %s %s has changed (%s)", d.Server, what, name, strings.Join(parts, ", "))
}

// sarif returns differences as a SARIF 2.1.0 log, which code hosts show beside the file.
func sarif(found []lock.Difference) map[string]any {
	results := make([]map[string]any, 0, len(found))
	for i := range found {
		d := &found[i]
		results = append(results, map[string]any{
			"ruleId": string(d.Kind), "level": "error",
			"message": map[string]any{"text": sentence(d)},
			"locations": []map[string]any{{
				"physicalLocation": map[string]any{"artifactLocation": map[string]any{"uri": lock.FileName}},
			}},
		})
	}
	return map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []map[string]any{{
			"tool":    map[string]any{"driver": map[string]any{"name": "winnowd verify"}},
			"results": results,
		}},
	}
}

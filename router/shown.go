package router

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Bounds on the answer of mcp_search, besides those of the settings. It is never cut
// afterwards, because half a schema is useless.
const (
	selectPrefix        = "select:"
	schemaDigestLength  = 12
	selectionSeparators = ", \n\t"
)

// sees reports whether the task's model has seen the tool's current schema.
func (t *Task) sees(tool *Tool) bool {
	if place := t.Has(tool.ID); place >= 0 && bytes.Equal(t.Attached[place].Schema, tool.Schema) {
		return true
	}
	return slices.Contains(t.Shown, shownOf(tool))
}

// show returns the task after its model has seen the tool's schema.
func (t Task) show(tool *Tool) Task {
	kept := slices.DeleteFunc(slices.Clone(t.Shown), func(s protocol.ShownTool) bool {
		return s.ToolRef == protocol.ToolRef(tool.ID)
	})
	t.Shown = append(kept, shownOf(tool))
	return t
}

func shownOf(tool *Tool) protocol.ShownTool {
	sum := sha256.Sum256(tool.Schema)
	return protocol.ShownTool{ToolRef: protocol.ToolRef(tool.ID), Digest: hex.EncodeToString(sum[:])[:schemaDigestLength]}
}

// InvalidArguments returns the text that tells a model how its arguments do not fit, with
// the schema or how to see it again. The returned task records that the schema was shown.
func (t Task) InvalidArguments(tool *Tool, problems []string) (Task, string) {
	text := fmt.Sprintf("Not called: the arguments do not fit %s%s.\n- %s", tool.Name, tool.Signature(),
		strings.Join(problems, "\n- "))
	if !t.Shared && t.sees(tool) && t.Finder() == SearchName {
		return t, fmt.Sprintf("%s\nIts schema was shown before; %s({\"query\":%q}) shows it again.",
			text, SearchName, selectPrefix+tool.Name)
	}
	return t.show(tool), text + "\nschema: " + compactSchema(tool.Schema)
}

func compactSchema(schema json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, schema) != nil {
		return emptySchema
	}
	return b.String()
}

package display

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// LoadReport describes for a chat what was attached by a query or a name.
func LoadReport(r *protocol.TaskLoadResult, words string) string {
	if len(r.Loaded) == 0 {
		return fmt.Sprintf("No tool fits “%s”.", Markdown(excerpt(words, maxRepeated)))
	}
	var lines []string
	for _, t := range r.Loaded {
		already := ""
		if t.Already {
			already = ", was attached before"
		}
		lines = append(lines, fmt.Sprintf("- %s (%s)%s", Code(t.Name), Markdown(t.Server), already))
	}
	counts := r.Attachment.Counts
	return fmt.Sprintf("%s\n\n%s of %s attached.", strings.Join(lines, "\n"), Number(counts.Attached), Count(counts.Scoped, "tool"))
}

package display

import (
	"fmt"
	"strings"
)

// table returns a Markdown table; align holds l or r for each column.
func table(head []string, align string, rows [][]string) string {
	line := func(cells []string) string { return "| " + oneLine(strings.Join(cells, " | ")) + " |" }
	aligned := make([]string, len(head))
	for i := range head {
		aligned[i] = map[byte]string{'l': "---", 'r': "--:"}[align[i]]
	}
	lines := []string{line(head), line(aligned)}
	for _, row := range rows[:min(len(rows), maxRows)] {
		lines = append(lines, line(row))
	}
	if more := len(rows) - maxRows; more > 0 {
		lines = append(lines, line([]string{fmt.Sprintf("… and %s more", Number(more))}))
	}
	return strings.Join(lines, "\n")
}

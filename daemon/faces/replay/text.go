package replay

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/daemon/history"
)

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer, readers []history.Reader) error {
	var out strings.Builder
	for i, s := range r.sections(readers) {
		if i > 0 {
			out.WriteString("\n")
		}
		out.WriteString(strings.ToUpper(s.title) + "\n")
		for _, line := range s.text {
			out.WriteString(line + "\n")
		}
		if s.table != nil {
			s.table.write(&out)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (t *table) write(out io.Writer) {
	columns := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.head}, t.rows...) {
		cells := slices.Clone(row)
		for i := range cells {
			cells[i] = hiddentext.Printable(strings.ReplaceAll(cells[i], "\t", " "))
		}
		fmt.Fprintln(columns, strings.TrimRight(strings.Join(cells, "\t"), "\t "))
	}
	_ = columns.Flush() // into memory
}

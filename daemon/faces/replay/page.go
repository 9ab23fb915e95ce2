package replay

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/daemon/history"
)

// WritePage writes the report as one HTML page without scripts and external resources. If
// editor is set, names of settings are links to them.
func (r *Report) WritePage(w io.Writer, readers []history.Reader, editor bool) error {
	var out strings.Builder
	out.WriteString(pageHead)
	for i, s := range r.sections(readers) {
		level := 2
		if i == 0 {
			level = 1
		}
		class := ""
		if s.half {
			class = ` class="half"`
		}
		fmt.Fprintf(&out, "<section%s><h%d>%s</h%d>\n", class, level, escape(s.title), level)
		for _, line := range s.text {
			fmt.Fprintf(&out, "<p>%s</p>\n", quoted.ReplaceAllString(escape(line), "<code>$1</code>"))
		}
		if s.table != nil {
			s.table.writeHTML(&out, editor)
		}
		out.WriteString("</section>\n")
	}
	out.WriteString("</body></html>\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// quoted matches text between backquotes.
var quoted = regexp.MustCompile("`([^`]+)`")

func escape(text string) string { return html.EscapeString(hiddentext.Printable(text)) }

func (t *table) writeHTML(out *strings.Builder, editor bool) {
	class := func(i int) string {
		if slices.Contains(t.right, i) {
			return ` class="number"`
		}
		return ""
	}
	out.WriteString("<div class=\"table\"><table><thead><tr>")
	for i, cell := range t.head {
		fmt.Fprintf(out, "<th%s>%s</th>", class(i), escape(cell))
	}
	out.WriteString("</tr></thead><tbody>\n")
	for r, row := range t.rows {
		out.WriteString("<tr>")
		for i, cell := range row {
			text := escape(cell)
			if i == len(row)-1 && editor && r < len(t.links) && t.links[r] != "" {
				text = fmt.Sprintf(`<a href="command:workbench.action.openSettings?%s">%s</a>`, url.PathEscape(fmt.Sprintf("[%q]", t.links[r])), cmp.Or(text, escape(t.links[r])))
			}
			fmt.Fprintf(out, "<td%s>%s", class(i), text)
			if i == 0 && r < len(t.bar) {
				fmt.Fprintf(out, `<span class="bar"><span style="width:%.0f%%"></span></span>`, 100*t.bar[r])
			}
			out.WriteString("</td>")
		}
		out.WriteString("</tr>\n")
	}
	out.WriteString("</tbody></table></div>\n")
}

// pageHead is the head of a page. It uses VS Code's colours if set, else those of the
// reader's system.
const pageHead = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<title>What Winnow would have done</title>
<style>
:root { color-scheme: light dark; --text: #1f2328; --page: #fff; --line: #d0d7de; --quiet: #59636e; --bar: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --page: #0d1117; --line: #30363d; --quiet: #9198a1; --bar: #3fb950; } }
body { color: var(--vscode-foreground, var(--text)); background: var(--vscode-editor-background, var(--page));
  font: 14px/1.5 var(--vscode-font-family, system-ui, sans-serif); max-width: 1100px; margin: 0 auto; padding: 24px; }
h1 { font-size: 24px; margin: 0 0 8px; } h2 { font-size: 17px; margin: 28px 0 6px; }
p { margin: 4px 0; max-width: 80ch; }
a { color: var(--vscode-textLink-foreground, inherit); }
.table { overflow-x: auto; } table { border-collapse: collapse; margin-top: 8px; width: 100%; }
.half { display: inline-block; vertical-align: top; width: calc(50% - 24px); min-width: 320px; margin-right: 20px; }
th, td { text-align: left; vertical-align: top; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--vscode-panel-border, var(--line)); }
th { color: var(--vscode-descriptionForeground, var(--quiet)); font-weight: 600; white-space: nowrap; }
td { overflow-wrap: break-word; } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { display: block; height: 3px; margin-top: 3px; width: 120px; background: var(--vscode-panel-border, var(--line)); }
.bar span { display: block; height: 100%; background: var(--vscode-charts-green, var(--bar)); }
</style></head><body>
`

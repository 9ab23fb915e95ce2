package display

import (
	"regexp"
	"strings"
)

// Names and descriptions come from servers, and from files of others: each place
// that VS Code reads a syntax in shows them as they are.

var (
	// marks are what Markdown reads as more than itself. VS Code makes a link of a
	// bare address too.
	marks    = regexp.MustCompile("://|[\\\\`*_{}\\[\\]()#+\\-.!|<>~$&=]")
	indents  = regexp.MustCompile(`(?m)^[ \t]+`)
	lineEnds = regexp.MustCompile(`\r\n?|\n`)
	spaces   = regexp.MustCompile(`\s+`)
	// icons are product icons, as labels have them.
	icons = regexp.MustCompile(`\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)`)
)

// Markdown makes a text safe inside Markdown: what it holds is shown, never
// followed.
func Markdown(text string) string {
	text = marks.ReplaceAllStringFunc(text, func(mark string) string {
		if mark == "://" {
			return `:\/\/`
		}
		return `\` + mark
	})
	// An indented line would be code, in which nothing is escaped.
	text = indents.ReplaceAllStringFunc(lineEnds.ReplaceAllLiteralString(text, "\n"), func(indent string) string {
		return strings.Repeat("\u00a0", len(indent))
	})
	return strings.ReplaceAll(text, "\n", "  \n")
}

// Code writes the name of a tool or a server as code inside Markdown, also in a
// table.
func Code(text string) string {
	return "`" + strings.NewReplacer("`", " ", "|", " ").Replace(oneLine(text)) + "`"
}

// withoutIcons makes a text safe inside a label that shows product icons: in a
// status bar, a menu or a quick pick.
func withoutIcons(text string) string { return icons.ReplaceAllString(text, `\$0`) }

// oneLine writes a text on one line.
func oneLine(text string) string {
	return spaces.ReplaceAllLiteralString(text, " ")
}

package display

import (
	"regexp"
	"strings"
)

// Names and descriptions come from servers and other people's files. Wherever VS Code
// interprets a syntax, they are escaped so that they are shown literally.

var (
	// marks matches characters with a meaning in Markdown. VS Code also makes links of
	// bare URLs.
	marks    = regexp.MustCompile("://|[\\\\`*_{}\\[\\]()#+\\-.!|<>~$&=]")
	indents  = regexp.MustCompile(`(?m)^[ \t]+`)
	lineEnds = regexp.MustCompile(`\r\n?|\n`)
	spaces   = regexp.MustCompile(`\s+`)
	// icons matches product icons in labels.
	icons = regexp.MustCompile(`\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)`)
)

// Markdown escapes a text for Markdown, so that it is shown literally.
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

// Code returns the name of a tool or a server as Markdown code, also valid in a table.
func Code(text string) string {
	return "`" + strings.NewReplacer("`", " ", "|", " ").Replace(oneLine(text)) + "`"
}

// withoutIcons escapes a text for a label that shows product icons: in a status bar, a
// menu or a quick pick.
func withoutIcons(text string) string { return icons.ReplaceAllString(text, `\$0`) }

// oneLine returns a text on one line.
func oneLine(text string) string {
	return spaces.ReplaceAllLiteralString(text, " ")
}

package process

import (
	"path/filepath"
	"strings"
)

// needsShell reports whether cmd.exe must run the file: everything but .exe and .com is a
// script to Windows.
func needsShell(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".exe", ".com":
		return false
	default:
		return true
	}
}

// shellCommandLine returns the command line by which cmd.exe runs a script with literal
// arguments. Each argument is quoted for CommandLineToArgvW, and then escaped for cmd.exe
// with carets: twice, because a batch file such as npx.cmd passes %* on to a second
// interpretation.
func shellCommandLine(script string, args []string) string {
	var b strings.Builder
	b.WriteString(`cmd.exe /d /s /c "`)
	b.WriteString(escapeCaret(quoteProgramArg(script)))
	for _, arg := range args {
		b.WriteByte(' ')
		b.WriteString(escapeCaret(escapeCaret(quoteProgramArg(arg))))
	}
	b.WriteByte('"')
	return b.String()
}

// quoteProgramArg quotes one argument for CommandLineToArgvW: it doubles backslashes
// before a quote and escapes the quote.
func quoteProgramArg(arg string) string {
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for i := range len(arg) {
		switch arg[i] {
		case '\\':
			slashes++
			continue
		case '"':
			b.WriteString(strings.Repeat(`\`, 2*slashes+1))
		default:
			b.WriteString(strings.Repeat(`\`, slashes))
		}
		slashes = 0
		b.WriteByte(arg[i])
	}
	b.WriteString(strings.Repeat(`\`, 2*slashes))
	b.WriteByte('"')
	return b.String()
}

// escapeCaret escapes every character that is special to cmd.exe.
func escapeCaret(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`()[]%!^"<>&|;, *?`+"`", s[i]) >= 0 {
			b.WriteByte('^')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

package config

import (
	"bytes"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// parseEnvFile reads lines of NAME=value as VS Code and Cursor do: an optional
// `export`, values bare or in single, double or back quotes, which may span
// lines, and comments after #. \n and \r are escapes in double quotes.
//
// $NAME inside a value is kept. The common library is not used because it replaces it,
// which breaks passwords with a dollar sign, and quotes the file in its errors. badLines
// are 1-based.
func parseEnvFile(data []byte) (env map[string]string, badLines []int) {
	env = map[string]string{}
	text := string(bytes.ReplaceAll(jsonc.WithoutBOM(data), []byte("\r\n"), []byte("\n")))
	for line := 1; text != ""; {
		name, value, rest, ok := envAssignment(text)
		switch {
		case !ok:
			badLines = append(badLines, line)
		case name != "":
			env[name] = value
		}
		line += strings.Count(text[:len(text)-len(rest)], "\n")
		text = rest
	}
	return env, badLines
}

// envAssignment reads one assignment from the start of text. name is "" for a blank line
// or a comment.
func envAssignment(text string) (name, value, rest string, ok bool) {
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", "", rest, true
	}
	line = strings.TrimSpace(strings.TrimPrefix(line, "export "))
	name, _, ok = strings.Cut(line, "=")
	if name = strings.TrimSpace(name); !ok || !isEnvName(name) {
		return "", "", rest, false
	}
	_, after, _ := strings.Cut(text, "=") // may continue on the next line
	if quoted, beyond, isQuoted := envQuoted(strings.TrimLeft(after, " \t")); isQuoted {
		return name, quoted, beyond, true
	}
	value, _, _ = strings.Cut(after, "\n")
	return name, bareEnvValue(value), rest, true
}

// envQuoted reads a quoted value and skips to the next line.
func envQuoted(text string) (value, rest string, ok bool) {
	if text == "" || !strings.ContainsRune("'\"`", rune(text[0])) {
		return "", "", false
	}
	quote := text[0]
	end := 1
	for ; end < len(text) && text[end] != quote; end++ {
		if text[end] == '\\' {
			end++
		}
	}
	if end >= len(text) {
		return "", "", false // a stray quote: the value is bare
	}
	value = text[1:end]
	_, rest, _ = strings.Cut(text[end:], "\n")
	if quote == '"' {
		value = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\"`, `"`, `\\`, `\`).Replace(value)
	}
	return value, rest, true
}

// bareEnvValue removes a comment, which must follow a space, because a # can be part of a
// password or an address.
func bareEnvValue(value string) string {
	for i := range len(value) {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') {
			value = value[:i]
			break
		}
	}
	return strings.TrimSpace(value)
}

// isEnvName reports whether name can be the name of a variable.
func isEnvName(name string) bool {
	return name != "" && !strings.ContainsAny(name, " \t\"'`$#")
}

package text

import (
	"path"
	"strings"
)

// Signals calls yield with words that a message implies by the shape of what
// it mentions: a file by its extension, a page by its address, a query by its
// SQL. A person who writes "convert report.pdf" seldom adds that it is a file.
// The words are folded and may repeat.
func Signals(message string, yield func(word string)) {
	for _, raw := range strings.Fields(message) {
		token := strings.Trim(raw, `"'()[]{}<>,;:!?*`+"`")
		token = strings.TrimRight(token, ".")
		for _, word := range shape(token) {
			yield(word)
		}
	}
}

// shape returns the words that one token implies by its look.
func shape(token string) []string {
	lower := strings.ToLower(token)
	switch {
	case strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"), strings.HasPrefix(lower, "www."):
		return []string{"url", "page"}
	case isMail(token):
		return []string{"email"}
	case isSQL(token):
		return []string{"sql", "query", "database"}
	case strings.HasPrefix(token, "/") && strings.Count(token, "/") > 1,
		strings.HasPrefix(token, "~/"), strings.HasPrefix(token, "./"), strings.HasPrefix(token, "../"),
		len(token) > 3 && token[1] == ':' && (token[2] == '\\' || token[2] == '/'):
		return append([]string{"file", "path"}, extension(lower)...)
	}
	if words := extension(lower); len(words) > 0 {
		return append([]string{"file"}, words...)
	}
	return nil
}

func isMail(token string) bool {
	at := strings.IndexByte(token, '@')
	return at > 0 && strings.IndexByte(token[at+1:], '.') > 0
}

// isSQL reports whether a token opens an SQL statement. Only capitals count:
// "select" and "update" are everyday words.
func isSQL(token string) bool {
	switch token {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "ALTER":
		return true
	}
	return false
}

// extension returns what the file extension of a folded token says; nothing
// when it is not one that names a kind of file.
func extension(token string) []string {
	switch path.Ext(token) {
	case ".pdf", ".doc", ".docx", ".odt", ".rtf":
		return []string{"document"}
	case ".xls", ".xlsx", ".ods", ".csv", ".tsv":
		return []string{"spreadsheet"}
	case ".ppt", ".pptx", ".odp", ".key":
		return []string{"presentation"}
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tiff":
		return []string{"image"}
	case ".mp3", ".wav", ".flac", ".ogg", ".m4a":
		return []string{"audio"}
	case ".mp4", ".mov", ".avi", ".mkv", ".webm":
		return []string{"video"}
	case ".zip", ".tar", ".gz", ".7z", ".rar":
		return []string{"archive"}
	case ".txt", ".md", ".log", ".json", ".yaml", ".yml", ".xml", ".toml", ".ini",
		".go", ".ts", ".js", ".py", ".rs", ".java", ".rb", ".sh", ".cpp", ".html", ".css":
		return []string{"text"}
	case ".sqlite", ".db", ".sql":
		return []string{"database"}
	}
	return nil
}

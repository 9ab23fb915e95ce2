package text

import (
	"path"
	"strings"
)

// Signals calls yield with words that a message implies by the form of what it mentions:
// a file by its extension, a page by its address, a query by its SQL, a channel, an issue
// or a commit by its notation, a price by its currency, an appointment by its time. A
// person who writes "convert report.pdf" seldom adds that it is a file. The words are
// folded and may repeat.
func Signals(message string, yield func(word string)) {
	for raw := range strings.FieldsSeq(message) {
		if isWord(raw) {
			continue
		}
		token := strings.Trim(raw, `"'()[]{}<>,;:!?*`+"`")
		token = strings.TrimRight(token, ".")
		for _, word := range shape(token) {
			yield(word)
		}
	}
}

// isWord reports whether a token is an ordinary word in lower case. A currency's code has
// three letters and is not.
func isWord(token string) bool {
	for i := range len(token) {
		if token[i] < 'a' || token[i] > 'z' {
			return false
		}
	}
	return len(token) != 3
}

// shape returns the words that one token implies by its form.
func shape(token string) []string {
	lower := strings.ToLower(token)
	switch {
	case isLocal(lower):
		return []string{"url", "page", "browser"}
	case strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"), strings.HasPrefix(lower, "www."):
		return []string{"url", "page"}
	case isMail(token):
		return []string{"email"}
	case isSQL(token):
		return []string{"sql", "query", "database"}
	case isChannel(token):
		return []string{"channel", "message"}
	case isReference(token):
		return []string{"issue", "pull", "request"}
	case isIssueKey(token):
		return []string{"issue"}
	case isCommit(token):
		return []string{"commit"}
	case isPrice(lower):
		return []string{"payment", "price", "amount"}
	case isTime(lower):
		return []string{"event", "calendar"}
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

// isLocal reports whether a folded token is an address on this machine, which only a
// local browser can open.
func isLocal(token string) bool {
	host := strings.TrimPrefix(strings.TrimPrefix(token, "http://"), "https://")
	return strings.HasPrefix(host, "localhost:") || strings.HasPrefix(host, "127.0.0.1:")
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

// isChannel reports whether a token is a channel's name, such as #releases.
func isChannel(token string) bool {
	return len(token) > 2 && token[0] == '#' && isASCIILetter(token[1])
}

// isReference reports whether a token refers to an issue or a pull request by
// its number: #1190, acme/web#1190.
func isReference(token string) bool {
	_, number, ok := strings.Cut(token, "#")
	return ok && isNumber(number)
}

// isIssueKey reports whether a token is the key of an issue in a tracker, such as
// PAY-331.
func isIssueKey(token string) bool {
	project, number, ok := strings.Cut(token, "-")
	if !ok || len(project) < 2 || !isNumber(number) || strings.Trim(project, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return false
	}
	switch project {
	case "UTF", "ISO", "SHA", "RFC", "AES", "GPT", "HTTP", "TLS", "CVE", "COVID", "UTC", "GMT":
		return false
	}
	return true
}

// isCommit reports whether a token looks like the hash of a commit, whole or abbreviated
// as by git. Digits alone are more often a number, letters alone a word.
func isCommit(token string) bool {
	return 7 <= len(token) && len(token) <= 40 && strings.Trim(token, "0123456789abcdef") == "" &&
		strings.ContainsAny(token, "0123456789") && strings.ContainsAny(token, "abcdef")
}

// isPrice reports whether a folded token is an amount of money or the code of
// a currency.
func isPrice(token string) bool {
	switch token {
	case "usd", "eur", "gbp", "chf", "jpy", "cad", "aud":
		return true
	}
	amount := strings.Trim(token, "$€£¥")
	return len(amount) < len(token) && isNumber(strings.NewReplacer(".", "", ",", "").Replace(amount))
}

// isTime reports whether a folded token is a time of day: 3pm, 10:30, 9:15am.
func isTime(token string) bool {
	clock := strings.TrimSuffix(strings.TrimSuffix(token, "am"), "pm")
	hour, minute, colon := strings.Cut(clock, ":")
	if !isNumber(hour) || len(hour) > 2 {
		return false
	}
	if colon {
		return isNumber(minute) && len(minute) == 2
	}
	return len(clock) < len(token)
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// extension returns the words that the file extension of a folded token implies, or nil
// if it is not known.
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

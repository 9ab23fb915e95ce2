package ijson

import (
	"bytes"
	"encoding/json"
)

// MapStrings returns JSON with its strings changed, and every other byte as it
// was: numbers and the names of members stay. member is the name of the
// innermost member that a string is in, also as one of a list; empty where it is
// in none. Text in which nothing changes is returned itself.
func MapStrings(text []byte, change func(member, value string) string) []byte {
	var out []byte
	copied := 0
	members := []string{""} // of each object and array that is open, the present one
	for i := 0; i < len(text); i++ {
		switch last := len(members) - 1; text[i] {
		case '{':
			members = append(members, "")
		case '[':
			members = append(members, members[last])
		case '}', ']':
			members = members[:max(1, last)]
		case '"':
			end := stringEnd(text, i)
			if next := skipSpace(text, end); next < len(text) && text[next] == ':' {
				members[last] = unquote(text[i:end])
			} else if changed := changedString(text[i:end], members[last], change); changed != nil {
				out = append(append(out, text[copied:i]...), changed...)
				copied = end
			}
			i = end - 1
		}
	}
	if copied == 0 {
		return text
	}
	return append(out, text[copied:]...)
}

// changedString returns a string as JSON after a change; nil for the same.
func changedString(quoted []byte, member string, change func(member, value string) string) []byte {
	var before string
	if json.Unmarshal(quoted, &before) != nil {
		return nil
	}
	after := change(member, before)
	if after == before {
		return nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(after) != nil {
		return nil // a string has a form
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

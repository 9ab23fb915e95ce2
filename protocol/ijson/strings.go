package ijson

// Level is an object or array that is open around a string.
type Level struct {
	Object bool
	// Member is the name of the present member of an object.
	Member string
}

// MapStrings returns JSON with its strings changed, and every other byte as it
// was: numbers and the names of members stay. member is the name of the
// innermost member that a string is in, also as one of a list; empty where it is
// in none. Text in which nothing changes is returned itself.
func MapStrings(text []byte, change func(member, value string) string) []byte {
	return MapAll(text, func(open []Level, name bool, value string) string {
		if name {
			return value
		}
		for i := len(open) - 1; i >= 0; i-- {
			if open[i].Object {
				return change(open[i].Member, value)
			}
		}
		return change("", value)
	})
}

// MapAll is [MapStrings] for the names of members too. open holds what is open
// around a string, the innermost last; it is good during the call.
func MapAll(text []byte, change func(open []Level, name bool, value string) string) []byte {
	var out []byte
	copied := 0
	var open []Level
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			open = append(open, Level{Object: text[i] == '{'})
		case '}', ']':
			open = open[:max(0, len(open)-1)]
		case '"':
			end := stringEnd(text, i)
			before, ok := unquote(text[i:end])
			next := skipSpace(text, end)
			name := next < len(text) && text[next] == ':' && len(open) > 0
			if name {
				open[len(open)-1].Member = before
			}
			if ok {
				if after := change(open, name, before); after != before {
					out = AppendQuote(append(out, text[copied:i]...), after)
					copied = end
				}
			}
			i = end - 1
		}
	}
	if copied == 0 {
		return text
	}
	return append(out, text[copied:]...)
}

package scan

import (
	"slices"
	"strings"

	"go.mau.fi/util/confusable"

	"github.com/winnow-mcp/winnow/protocol/spelling"
)

// alike replaces characters that look alike in names in addition to Unicode's
// confusables: i and l, 5 and s, separators.
var alike = strings.NewReplacer("i", "l", "5", "s", "vv", "w", "_", "", "-", "", " ", "", ".", "")

// looks returns the appearance of a name; names with the same appearance are mistaken for
// each other. It applies the skeleton of UTS #39 twice: once as written, where capital I
// becomes l, and once in lower case, where m becomes rn.
func looks(name string) string {
	lower := strings.ToLower(confusable.Skeleton(name))
	if look := alike.Replace(strings.ToLower(confusable.Skeleton(lower))); look != "" {
		return look
	}
	return name
}

// Alike reports whether two names look alike.
func Alike(a, b string) bool { return looks(a) == looks(b) }

// minName is the shortest server name for which a difference of one letter counts as a
// likeness.
const minName = 6

// lookalikes maps servers to another server with a similar name. Digits at the ends
// distinguish instances of one server.
func lookalikes(servers []string) map[string]string {
	type name struct{ own, instance, looks string }
	names := make([]name, len(servers))
	for i, server := range servers {
		names[i] = name{server, strings.Trim(server, "0123456789-_"), looks(server)}
	}
	found := map[string]string{}
	for i := range names {
		a := &names[i]
		at := slices.IndexFunc(names, func(b name) bool {
			if b.own == a.own || b.instance == a.instance {
				return false
			}
			return b.looks == a.looks || len(a.own) >= minName && len(b.own) >= minName && slip(a.own, b.own)
		})
		if at >= 0 {
			found[a.own] = names[at].own
		}
	}
	return found
}

// slip reports whether two names differ by one letter.
func slip(a, b string) bool {
	slips, meant := spelling.Slips(a, b)
	return meant && slips == 1
}

package scan

import (
	"slices"
	"strings"

	"go.mau.fi/util/confusable"

	"github.com/winnow-mcp/winnow/protocol/spelling"
)

// alike replaces what looks alike in names beside Unicode's confusables, which
// keep apart what a careful reader can: i and l, 5 and s, separators.
var alike = strings.NewReplacer("i", "l", "5", "s", "vv", "w", "_", "", "-", "", " ", "", ".", "")

// looks returns what a name looks like: names with one result are taken for each
// other. It begins with the skeleton of UTS #39, where the capital I is an l; in
// lower case another one is needed, where an m is an rn.
func looks(name string) string {
	lower := strings.ToLower(confusable.Skeleton(name))
	if look := alike.Replace(strings.ToLower(confusable.Skeleton(lower))); look != "" {
		return look
	}
	return name
}

// Alike reports whether two names are taken for each other.
func Alike(a, b string) bool { return looks(a) == looks(b) }

// minName is how long a server's name is for one other letter to be a likeness
// and not another word.
const minName = 6

// lookalikes returns for each of the servers another one whose name looks like
// its own; those without are left out. Digits tell instances of one server apart.
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

// slip reports whether one letter tells two names apart.
func slip(a, b string) bool {
	slips, meant := spelling.Slips(a, b)
	return meant && slips == 1
}

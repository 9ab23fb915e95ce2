package bank

import (
	_ "embed" // for the signs
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Clue is something beside a message's words that may speak for servers.
type Clue struct {
	Kind ClueKind
	// Name is the file's, the dependency's, the host's or the shape's.
	Name string
	// Evidence says to a person what was seen, such as "this folder has a Chart.yaml".
	Evidence string
}

// ClueKind says what a [Clue] names.
type ClueKind string

// The values of [ClueKind].
const (
	// FileClue: a file in the folder, or a folder in it, whose name ends with "/".
	FileClue ClueKind = "file"
	// DependencyClue: what a project depends on, as its manifest names it.
	DependencyClue ClueKind = "dependency"
	// HostClue: the host of a git remote, or of an address in a message.
	HostClue ClueKind = "host"
	// ShapeClue: how something in a message looks: "index pattern". What channels and
	// tickets look like speaks for too many servers: the editor's all@15 fell by .004.
	ShapeClue ClueKind = "shape"
)

// Spoken is a family of servers that clues speak for.
type Spoken struct {
	// Family is the words that names of such servers have, Evidence that of the
	// clue that tells most.
	Family, Evidence string
}

// sign is one line of signs.txt.
type sign struct {
	kind     ClueKind
	pattern  string
	families []string
}

//go:embed signs.txt
var signsText string

// shippedSigns are those of signs.txt, which a test reads too.
var shippedSigns = sync.OnceValue(func() []sign {
	signs, err := parseSigns(signsText)
	if err != nil {
		panic(err)
	}
	return signs
})

// SpeakFor returns the families that clues speak for, the most telling first. A
// sign that speaks for n of them gives each 1/n; the same sign counts once.
func SpeakFor(clues []Clue) []Spoken {
	type score struct {
		Spoken
		sum, best float64
	}
	scores := map[string]*score{}
	for _, s := range shippedSigns() {
		i := slices.IndexFunc(clues, func(c Clue) bool { return c.Kind == s.kind && matches(s.pattern, c.Name) })
		if i < 0 {
			continue
		}
		value := 1 / float64(len(s.families))
		for _, family := range s.families {
			if scores[family] == nil {
				scores[family] = &score{Spoken: Spoken{Family: family}}
			}
			of := scores[family]
			of.sum += value
			if value > of.best {
				of.best, of.Evidence = value, clues[i].Evidence
			}
		}
	}
	sorted := make([]*score, 0, len(scores))
	for _, s := range scores {
		sorted = append(sorted, s)
	}
	slices.SortFunc(sorted, func(a, b *score) int {
		if a.sum != b.sum {
			if a.sum > b.sum {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Family, b.Family)
	})
	var spoken []Spoken
	for _, s := range sorted {
		spoken = append(spoken, s.Spoken)
	}
	return spoken
}

// matches reports whether a name is that of a pattern, in which one "*" is any text.
func matches(pattern, name string) bool {
	before, after, wild := strings.Cut(pattern, "*")
	if !wild {
		return strings.EqualFold(pattern, name)
	}
	name = strings.ToLower(name)
	before, after = strings.ToLower(before), strings.ToLower(after)
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// parseSigns reads signs. An error names the line.
func parseSigns(source string) ([]sign, error) {
	var signs []sign
	for n, line := range strings.Split(source, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		kind, rest, _ := strings.Cut(line, " ")
		pattern, families, ok := strings.Cut(rest, ": ")
		s := sign{ClueKind(kind), pattern, strings.Split(families, ", ")}
		switch {
		case !slices.Contains([]ClueKind{FileClue, DependencyClue, HostClue, ShapeClue}, s.kind):
			return nil, fmt.Errorf("signs.txt:%d: kind %q: want file, dependency, host or shape", n+1, kind)
		case !ok || pattern == "" || slices.Contains(s.families, ""):
			return nil, fmt.Errorf("signs.txt:%d: %q: want KIND NAME: FAMILY, FAMILY", n+1, line)
		case strings.Count(pattern, "*") > 1:
			return nil, fmt.Errorf("signs.txt:%d: %q: a name has one * at most", n+1, pattern)
		}
		signs = append(signs, s)
	}
	return signs, nil
}

// MessageClues returns what stands in a message that may speak for servers: hosts of
// addresses, and things that tell their kind by their look.
func MessageClues(message string) []Clue {
	if !strings.ContainsAny(message, "*:") {
		return nil
	}
	var clues []Clue
	for word := range strings.FieldsSeq(message) {
		word = strings.Trim(word, `"'()[]{}<>,;!?.`+"`")
		if _, rest, ok := strings.Cut(word, "://"); ok {
			host, _, _ := strings.Cut(rest[strings.LastIndexByte(strings.SplitN(rest, "/", 2)[0], '@')+1:], "/")
			host, _, _ = strings.Cut(host, ":")
			clues = append(clues, Clue{HostClue, host, "your message has an address at " + host})
		} else if len(word) > 3 && strings.HasSuffix(word, "-*") {
			clues = append(clues, Clue{ShapeClue, "index pattern", "your message has “" + word + "”"})
		}
	}
	return clues
}

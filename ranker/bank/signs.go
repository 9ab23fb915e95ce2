package bank

import (
	_ "embed" // for the signs
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Clue is evidence beside a message's words that may support servers.
type Clue struct {
	Kind ClueKind
	// Name is the name of the file, dependency, host or shape.
	Name string
	// Evidence describes the clue for a person, such as "this folder has a Chart.yaml".
	Evidence string
}

// ClueKind is the kind of a [Clue].
type ClueKind string

// The values of [ClueKind].
const (
	// FileClue: a file in the folder, or a folder if the name ends with "/".
	FileClue ClueKind = "file"
	// DependencyClue: a project's dependency, by its name in the manifest.
	DependencyClue ClueKind = "dependency"
	// HostClue: the host of a git remote, or of a URL in a message.
	HostClue ClueKind = "host"
	// ShapeClue: the form of something in a message: "index pattern". Channels' and
	// tickets' forms support too many servers: the editor's all@15 fell by .004.
	ShapeClue ClueKind = "shape"
)

// Spoken is a family of servers that clues support.
type Spoken struct {
	// Family holds the words in names of such servers, and Evidence that of the strongest
	// clue.
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

// shippedSigns are the signs of signs.txt, which a test also reads.
var shippedSigns = sync.OnceValue(func() []sign {
	signs, err := parseSigns(signsText)
	if err != nil {
		panic(err)
	}
	return signs
})

// SpeakFor returns the families that clues support, strongest first. A sign that supports
// n families gives each 1/n; a repeated sign counts once.
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

// matches reports whether a name matches a pattern, in which one "*" is any text.
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

// MessageClues returns the clues in a message that may support servers: hosts of URLs,
// and words of a typical form.
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

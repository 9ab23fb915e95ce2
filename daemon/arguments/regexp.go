package arguments

import (
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxSteps limits the cost of matching one text by one pattern: instructions of the
// compiled pattern times bytes of the text, the worst case of Go's package. It is about
// 20 ms.
const maxSteps = 1 << 21

// bounded is a server's regular expression, which is not matched on a text that could
// take long, because Go's package cannot be interrupted.
type bounded struct {
	*regexp.Regexp

	instructions int
}

// boundedRegexp implements jsonschema.RegexpEngine.
func boundedRegexp(pattern string) (jsonschema.Regexp, error) {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	return bounded{compiled, len(program.Inst)}, nil
}

// MatchString reports whether the text matches, or might.
func (b bounded) MatchString(text string) bool {
	return b.instructions*len(text) > maxSteps || b.Regexp.MatchString(text)
}

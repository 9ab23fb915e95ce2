package reasons_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// TestText_everyKind fails for a kind that is declared and not worded, or
// worded like another.
func TestText_everyKind(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../protocol/cause.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]protocol.CauseKind{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		kind, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		c := protocol.Cause{Kind: protocol.CauseKind(kind), Owner: "o", Key: "k", Text: "t"}
		text := reasons.Text(c)
		if other, taken := words[text]; text == "" || taken {
			t.Errorf("%s: got %q, as of %q; want words of its own", kind, text, other)
		}
		words[text] = c.Kind
		return true
	})
	for text, kind := range words {
		// What only a server waits for keeps no tool out.
		plain := reasons.Plain(protocol.Cause{Kind: kind, Owner: "o", Key: "winnow.k", Text: "t"})
		if plain == "" || strings.Contains(plain, "winnow.") {
			t.Errorf("%s in plain words: %q, for %q", kind, plain, text)
		}
	}
	if len(words) < 10 {
		t.Errorf("found %d kinds; the walk misses the declarations", len(words))
	}
	if got := reasons.Text(protocol.Cause{}); got != "" || reasons.Wire(protocol.Cause{}) != nil {
		t.Errorf("no cause: got %q", got)
	}
}

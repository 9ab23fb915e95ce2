package imports

import (
	"reflect"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/protocol"
)

// FuzzNew moves every server of a text into another text. Both stay documents,
// each server that moved is in one of them, and undoing gives both their bytes
// back.
func FuzzNew(f *testing.F) {
	f.Add(mcpJSON, `{"servers": {"github": {"disabledTools": ["t"]}}}`)
	f.Add("{\"servers\":{\"a\":{\"command\":\"x\",\"b\":/* c */1}}}", "{\r\n\t// d\r\n}")
	for _, text := range []string{
		`{"servers":{"a":{"url":"u","timeout":5},"a":{"command":"y"},},}`,
		"{\r\n\t\"servers\": {\r\n\t\t// one\r\n\t\t\"~/é😀\": { /* in */ \"command\": \"x\" } /* after */, // then\r\n\t\t\"b\": {\"command\": \"${input:i}\"}\r\n\t}, \"inputs\": [ {\"id\": \"i\"} /* i */ ]\r\n}",
		"// top\n{ \"servers\" : { /* none */ } } // end",
		"{\"servers\": {\n\"a\"\n:\n{\n\"command\"\n:\"x\"\n,\n\"toolDescriptionOverrides\":{\"t\":\"d\"}\n}\n}\n}",
	} {
		for _, own := range []string{"", "{}", text, `{"servers":{"a":{"toolDescriptionOverrides":{"u":"d"} /* o */, "disabled": null},"b":{}},"inputs":[]}`} {
			f.Add(text, own)
		}
	}
	f.Fuzz(func(t *testing.T, text, own string) {
		var names []string
		for _, s := range Servers(vscode, text, &own) {
			names = append(names, s.Name)
		}
		p, err := New(Request{Source: vscode, Text: text, Own: &own, Servers: names})
		if err != nil {
			return
		}
		left, came := Servers(vscode, *p.Source.After, nil), Servers(Source{Dialect: config.Winnow}, *p.Target.After, nil)
		for _, s := range p.Servers {
			if has(left, s.Name) || !has(came, s.Name) {
				t.Errorf("%q is left in %q or did not come to %q", s.Name, *p.Source.After, *p.Target.After)
			}
		}
		source, target, _, err := Undo(p, p.Source.After, p.Target.After)
		if err != nil || !reflect.DeepEqual(source.After, p.Source.Before) || !reflect.DeepEqual(target.After, p.Target.Before) {
			t.Errorf("undone: %v, %q and %q", err, textOf(source.After), textOf(target.After))
		}
		// Something else changed since.
		sourceNow, targetNow := *p.Source.After+"\n", *p.Target.After+"\n"
		source, target, _, err = Undo(p, &sourceNow, &targetNow)
		if err != nil {
			t.Fatalf("undone after a change: %v", err)
		}
		back := Servers(vscode, *source.After, target.After)
		for _, s := range p.Servers {
			if !has(back, s.Name) {
				t.Errorf("%q did not come back to %q", s.Name, *source.After)
			}
		}
	})
}

func has(servers []protocol.ImportServer, name string) bool {
	for _, s := range servers {
		if s.Name == name {
			return true
		}
	}
	return false
}

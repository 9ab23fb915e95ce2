package jsonc

import (
	"testing"
)

// edit changes a text.
func edit(t *testing.T, text string, change func(root Object) error) string {
	t.Helper()
	editor, failure := NewEditor([]byte(text))
	if failure != nil {
		t.Fatal(failure)
	}
	root, err := editor.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := change(root); err != nil {
		t.Fatal(err)
	}
	return string(editor.Text())
}

const fragments = `{
	// A heading.

	// Above.
	// And so.
	"a": { // inside
		"x": 1
	}, // after
	"b": [1, 2],
	"c": 3 // last
}
`

// TestFragment: a value comes with the comments that belong to it, and without
// the indentation of where it was.
func TestFragment(t *testing.T) {
	t.Parallel()
	edit(t, fragments, func(root Object) error {
		for key, want := range map[string]Fragment{
			"a": {"// Above.\n// And so.", "{ // inside\n\t\"x\": 1\n}", "// after"},
			"b": {"", "[1, 2]", ""},
			"c": {"", "3", "// last"},
		} {
			if got, ok := root.Fragment(key); !ok || got != want {
				t.Errorf("%s: got %+v, want %+v", key, got, want)
			}
		}
		if got, ok := root.Fragment("d"); ok {
			t.Errorf("there is no d, got %+v", got)
		}
		return nil
	})
}

// TestInsert puts a value where texts have their own layout.
func TestInsert(t *testing.T) {
	t.Parallel()
	f := Fragment{"// Above.", "{\n\t\"x\": 1\n}", "// after"}
	for _, tt := range []struct{ name, text, want string }{
		{"an empty object", "{}", "{\n  // Above.\n  \"new\": {\n  \t\"x\": 1\n  } // after\n}"},
		{"one line", `{"a": 1}`, "{\"a\": 1,\n// Above.\n\"new\": {\n\t\"x\": 1\n} // after\n}"},
		{"Windows' line ends", "{\r\n  \"a\": 1\r\n}", "{\r\n  \"a\": 1,\r\n  // Above.\r\n  \"new\": {\r\n  \t\"x\": 1\r\n  } // after\r\n}"},
		{"a trailing comma", "{\n\t\"a\": 1, // one\n}", "{\n\t\"a\": 1, // one\n\t// Above.\n\t\"new\": {\n\t\t\"x\": 1\n\t}, // after\n}"},
	} {
		got := edit(t, tt.text, func(root Object) error { return root.Insert("new", f) })
		if got != tt.want {
			t.Errorf("%s: got\n%q\nwant\n%q", tt.name, got, tt.want)
		}
		// What was put there is the same when it is taken again.
		edit(t, got, func(root Object) error {
			if again, _ := root.Fragment("new"); again != f {
				t.Errorf("%s: taken again %+v, want %+v", tt.name, again, f)
			}
			return nil
		})
	}
}

// TestAppend adds to lists, and to one that is not there.
func TestAppend(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"none", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"list\": [\n    { \"id\": \"i\" }\n  ]\n}\n"},
		{"none, on one line", `{"a":1}`, `{"a":1, "list": [{ "id": "i" }]}`},
		{"one", "{\n  \"list\": [\n    1\n  ]\n}", "{\n  \"list\": [\n    1,\n    { \"id\": \"i\" }\n  ]\n}"},
		{"one line", `{"list": [1]}`, `{"list": [1, { "id": "i" }]}`},
	} {
		got := edit(t, tt.text, func(root Object) error { return root.Append("list", Fragment{Text: `{ "id": "i" }`}) })
		if got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestRemove keeps the layout, whatever goes.
func TestRemove(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ key, text, want string }{
		{"a", fragments, "{\n\t// A heading.\n\n\t\"b\": [1, 2],\n\t\"c\": 3 // last\n}\n"},
		{"c", "{\n\t\"b\": 1, // one\n\t\"c\": 3 // last\n}\n", "{\n\t\"b\": 1 // one\n}\n"},
		{"c", "{\n\t\"b\": 1,\n\t\"c\": 3,\n}\n", "{\n\t\"b\": 1,\n}\n"},
		{"a", `{"a": 1, "b": 2}`, `{"b": 2}`},
		{"a", "{\n  \"a\": 1\n}", "{}"},
		{"a", `{"a": 1, "a": 2, "b": 3}`, `{"b": 3}`},
	} {
		if got := edit(t, tt.text, func(root Object) error { return root.Remove(tt.key) }); got != tt.want {
			t.Errorf("%s without %s: got\n%s\nwant\n%s", tt.text, tt.key, got, tt.want)
		}
	}
}

// TestUnfold puts keys on lines of their own, where there are lines.
func TestUnfold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n  \"o\": {\"a\": 1, /* two */ \"b\": [2] /* end */ }\n}": "{\n  \"o\": {\n    \"a\": 1,\n    /* two */ \"b\": [2] /* end */\n  }\n}",
		"{\n  \"o\": {}\n}":                "{\n  \"o\": {\n  }\n}",
		"{\n  \"o\": {\n    \"a\": 1 }\n}": "{\n  \"o\": {\n    \"a\": 1 }\n}",
		`{"o": {"a": 1}}`:                  `{"o": {"a": 1}}`,
	} {
		got := edit(t, text, func(root Object) error {
			o, err := root.Child("o", false)
			o.Unfold()
			return err
		})
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", text, got, want)
		}
	}
}

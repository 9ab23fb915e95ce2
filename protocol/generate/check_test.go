package main

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// sound is a small package that passes every check, with the row that uses it.
const sound = `
const MethodAsk = "ask"
type Code int32
const CodeBad Code = 1
type ErrorData struct { Labels map[string]string 'json:"labels"' }
type Settings struct { Colour Colour 'json:"colour"' }
type Colour string
const Red Colour = "red"
type WinnowFile struct { Entries map[string]Entry 'json:"entries"' }
type Entry struct { Flag Flag 'json:"flag" types:"boolean,string"' }
type Flag any
type Direction string
const Up Direction = "up"
type Ask struct { Answer *Answer 'json:"answer"' }
type Answer struct {}
`

var soundRow = Row{Method: "ask", Direction: protocol.ToServer, Params: "Ask", Result: "Answer"}

func TestCheckPackage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, more string
		rows       []Row
		want       string
	}{
		{"sound", "", []Row{soundRow}, ""},
		{"constant without row", `const MethodLost = "lost"`, []Row{soundRow}, "constant MethodLost has no row"},
		{"row without constant", "", []Row{soundRow, {Method: "more", Params: "Ask"}}, "method more has a row in Methods but no constant"},
		{"two rows", "", []Row{soundRow, soundRow}, "method ask has two rows"},
		{"two constants", `const MethodAskToo = "ask"`, []Row{soundRow}, "ask has two constants: MethodAsk and MethodAskToo"},
		{"method that is a number", `const MethodOne = 1`, []Row{soundRow}, "constant MethodOne: a method is a string"},
		{"undeclared result", `const MethodMore = "more"`, []Row{soundRow, {Method: "more", Params: "Ask", Result: "Nope"}}, "method more uses Nope"},
		{"unreachable", `type Orphan struct{}`, []Row{soundRow}, "type Orphan is in no message and no file"},
		{"undeclared field type", `type Answer2 struct { F Nope 'json:"f"' }`, []Row{soundRow}, "type Answer2 uses Nope"},
		{"enum without values", `type Empty string`, []Row{soundRow}, "type Empty has no constants"},
		{"one value twice", `const Crimson Colour = "red"`, []Row{soundRow}, `constants Red and Crimson are both "red"`},
		{"opaque without a tag", `type T struct { F Flag 'json:"f"' }`, []Row{soundRow}, "type T uses Flag without a types or values tag"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			checkError(t, checkPackage(parse(t, sound+tc.more), tc.rows), tc.want)
		})
	}
}

func TestCheckPackage_MapOnTheWire(t *testing.T) {
	t.Parallel()
	pkg := parse(t, strings.Replace(sound, "type Answer struct {}", `type Answer struct { Tools map[string]Answer 'json:"tools"' }`, 1))
	checkError(t, checkPackage(pkg, []Row{soundRow}), "type Answer has a map of Answer, which loses the order")
}

// checkError fails unless err holds want; an empty want is no error.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("got %v, want no error", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want an error with %q", err, want)
	}
}

func TestTableRows(t *testing.T) {
	t.Parallel()
	rows := tableRows([]protocol.Method{
		{Name: "a/b", Direction: protocol.Both, Params: protocol.TaskParams{}, Result: protocol.Empty{}},
		{Name: "c", Direction: protocol.ToClient, Params: protocol.Empty{}},
	})
	want := []Row{
		{Method: "a/b", Direction: protocol.Both, Params: "TaskParams", Result: "Empty"},
		{Method: "c", Direction: protocol.ToClient, Params: "Empty"},
	}
	for i := range want {
		if rows[i] != want[i] {
			t.Errorf("row %d: got %+v, want %+v", i, rows[i], want[i])
		}
	}
}

package router

import (
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestTask_Fetched: what the model fetched and called for the latest message,
// and nothing else.
func TestTask_Fetched(t *testing.T) {
	t.Parallel()
	a, b, c, d, e := ref("s", "a"), ref("s", "b"), ref("s", "c"), ref("s", "d"), ref("s", "e")
	task := Task{
		Routing: protocol.AttachDynamic, Turn: 2, Called: []ToolID{a, b, c, e},
		Attached: []Attached{
			{ID: a, Turn: 2, Reason: protocol.ReasonLoaded},
			{ID: b, Turn: 2, Reason: protocol.ReasonEarlyCall},
			{ID: c, Turn: 2, Reason: protocol.ReasonRanked},
			{ID: d, Turn: 2, Reason: protocol.ReasonLoaded},
			{ID: e, Turn: 1, Reason: protocol.ReasonLoaded},
		},
	}
	if got := task.Fetched(); !slices.Equal(got, []ToolID{a, b}) {
		t.Errorf("fetched %v", got)
	}
	task.Routing = protocol.AttachAll
	if got := task.Fetched(); got != nil {
		t.Errorf("with everything attached: %v", got)
	}
}

// TestView_Load_Sought: what was named and the best that the words found, when
// it was not there before.
func TestView_Load_Sought(t *testing.T) {
	t.Parallel()
	v := loadView(func(s *protocol.Settings) { s.InitialK = 1 })
	task := v.Open(Opening{ID: "t", Message: words(0, 1)})
	for _, test := range []struct {
		name    string
		request Request
		want    []ToolID
	}{
		{"by name", Request{Names: []string{"no_words", "list_issues", "s_zqbbb"}}, []ToolID{ref("github", "no_words"), ref("github", "list_issues")}},
		{"by words", Request{Query: "create issue repository"}, []ToolID{ref("github", "create_issue")}},
		{"by both", Request{Names: []string{"no_words"}, Query: "create issue repository"},
			[]ToolID{ref("github", "no_words"), ref("github", "create_issue")}},
		{"the best is there already", Request{Query: wordFor(0)}, nil},
		{"nothing", Request{Query: "xylophone"}, nil},
	} {
		if _, loaded := v.Load(task, test.request); !slices.Equal(loaded.Sought, test.want) {
			t.Errorf("%s: sought %v, want %v", test.name, loaded.Sought, test.want)
		}
	}
}

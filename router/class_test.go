package router

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// What does not exist for a class of users is answered as what nobody has: by
// every way that leads to a tool, a hidden one's answer is that of a name that was
// made up, and nothing else that is said tells of it.
func TestClass_hidesWhatItDoesNotAdmit(t *testing.T) {
	t.Parallel()
	mode := &Mode{Class: &Class{
		Tool:   func(t *Tool) bool { return t.ID.Tool == "list_issues" },
		Server: func(name string) bool { return name == "starting" },
	}}
	c := catalogOf(serverOf("tracker", "list_issues", "qqqq_wwww"), serverOf("vault", "zzzz_xxxx"),
		ServerInput{Name: "starting"}, ServerInput{Name: "hush"}, ServerInput{Name: "hush2", Unavailable: "it is down"})
	for _, mode2 := range []protocol.GatewayMode{protocol.GatewayDispatch, protocol.GatewayAll} {
		v := NewView(c, settingsOf(func(s *protocol.Settings) { s.Gateway.Mode = mode2 }), mode)
		task := v.ServeShared(Task{}, true)
		said := task.Index + strings.Join(v.Unlisted(), " ")
		for i := range task.Attached {
			said += task.Attached[i].Name + " "
		}
		for _, hidden := range []string{"qqqq_wwww", "zzzz_xxxx"} {
			for _, name := range []string{hidden, "vault/" + hidden, "tracker__" + hidden, strings.ToUpper(hidden)} {
				madeUp := strings.NewReplacer("qqqq_wwww", "qqqq_wwwv", "zzzz_xxxx", "zzzz_xxxw", "QQQQ_WWWW", "QQQQ_WWWV", "ZZZZ_XXXX", "ZZZZ_XXXW").Replace(name)
				answers := func(name string) []string {
					_, _, called := v.Call(task, name)
					_, _, dispatched := v.Dispatch(task, name)
					_, selected := v.FindTools(task, Find{Query: "select:" + name})
					_, named := v.FindTools(task, Find{Names: []string{name}})
					_, searched := v.FindTools(task, Find{Query: name})
					return []string{CallProblem(called), CallProblem(dispatched), selected.Text, named.Text, searched.Text}
				}
				got, want := answers(name), answers(madeUp)
				for i := range got {
					if got[i] = strings.ReplaceAll(got[i], name, madeUp); got[i] != want[i] {
						t.Errorf("%s %q, way %d: %q, of a made-up name %q", mode2, name, i, got[i], want[i])
					}
				}
				said += strings.ReplaceAll(strings.Join(got, " "), madeUp, "")
			}
		}
		for _, word := range []string{"qqqq", "zzzz", "vault (", "hush"} {
			if strings.Contains(said, word) {
				t.Errorf("%s: %q is told in %q", mode2, word, said)
			}
		}
		if _, d, err := v.Dispatch(task, "list_issues"); err != nil || d.ID.Tool != "list_issues" || !strings.Contains(said, "tracker (1)") || !slices.Contains(v.Unlisted(), "starting") {
			t.Errorf("%s: what exists: %+v, %v, %q", mode2, d, err, said)
		}
	}
	v := NewView(c, settingsOf(), &Mode{Class: &Class{Tool: func(*Tool) bool { return false }, Server: func(string) bool { return false }}})
	if _, found := v.FindTools(v.ServeShared(Task{}, false), Find{Query: "issues"}); strings.Contains(found.Text, "tracker") || strings.Contains(found.Text, "hush") {
		t.Errorf("who sees nothing is told %q", found.Text)
	}
}

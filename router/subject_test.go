package router

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// subjectView has 100 tools that match nothing in particular, and two servers.
func subjectView(edits ...func(*protocol.Settings)) *View {
	return viewOf(catalogOf(numbered("s", 0, 100), serverOf("git", "git_log", "git_push", "git_tag"),
		serverOf("mail", "mail_send", "mail_read")), edits...)
}

// TestView_SaysNothing: where no message says what it is about, the servers in
// recent use stand in, and never any others.
func TestView_SaysNothing(t *testing.T) {
	t.Parallel()
	used := Usage{ref("git", "git_tag"): 3, ref("mail", "mail_read"): 1, ref("gone", "x"): 9}
	tests := []struct {
		name    string
		usage   Usage
		k       int
		want    []string
		warning string
	}{
		{"nothing was used", nil, 30, nil, "none is attached until one does"},
		{"two servers were used", used, 30, []string{"git_log", "git_push", "git_tag", "mail_read", "mail_send"},
			"those of the servers in recent use are attached: git, mail"},
		{"with few places", used, 3, []string{"git_log", "git_tag", "mail_read"}, "git, mail"},
	}
	for _, tt := range tests {
		for _, message := range []string{"get it going", "and now?", "hi"} {
			for _, edit := range []func(*protocol.Settings){func(s *protocol.Settings) { s.InitialK = tt.k }, topKOf(tt.k)} {
				v := subjectView(edit).WithUsage(tt.usage)
				task := v.Open(Opening{ID: "t", Message: message})
				wantNames(t, tt.name+", "+message, attachedNames(&task), tt.want)
				for _, a := range task.Attached {
					if a.Reason != protocol.ReasonFill {
						t.Errorf("%s: %s is attached because of %s", tt.name, a.Name, a.Reason)
					}
				}
				if v.Settings.Strategy == protocol.StrategyTopK {
					continue
				}
				if len(task.Warnings) != 1 || !strings.Contains(task.Warnings[0], tt.warning) {
					t.Errorf("%s: warnings %q, want one with %q", tt.name, task.Warnings, tt.warning)
				}
				// The model still learns what there is: tools of each server.
				names := strings.Join(namedIn(t, v, &task), " ")
				for _, server := range []string{"s_", "git_", "mail_"} {
					if !strings.Contains(names+strings.Join(tt.want, " "), server) {
						t.Errorf("%s: no tool of %s is attached or named: %s", tt.name, server, names)
					}
				}
			}
		}
	}
}

// TestView_FirstThatSays: the first message that says what it is about gets as
// many tools as a first message.
func TestView_FirstThatSays(t *testing.T) {
	t.Parallel()
	v := subjectView()
	task := v.Open(Opening{ID: "t", Message: "hello"})
	task = v.Turn(task, "ok, let's go")
	if len(task.Attached) != 0 || len(task.Warnings) != 0 {
		t.Errorf("after two greetings: %d tools, warnings %q", len(task.Attached), task.Warnings)
	}
	task = v.Turn(task, words(0, 40))
	if got := attachReasons(&task)[protocol.ReasonRanked]; got != v.Settings.InitialK {
		t.Errorf("%d tools for the first message that says something, want %d", got, v.Settings.InitialK)
	}
	task = v.Turn(task, words(40, 40))
	if want := v.Settings.InitialK + v.Settings.SearchK; len(task.Attached) != want {
		t.Errorf("%d tools after the second, want %d", len(task.Attached), want)
	}
}

// TestView_Subject: a message that says nothing is about what was said before.
func TestView_Subject(t *testing.T) {
	t.Parallel()
	v := subjectView()
	task := v.Open(Opening{ID: "t", Message: words(0, 5)})
	before := attachedNames(&task)
	task = v.Turn(task, "and now?")
	wantNames(t, "after a message that says nothing", attachedNames(&task), before)
	if e := v.Explain(&task)[slices.Index(before, "s_"+wordFor(0))]; e.Rank == 0 {
		t.Errorf("%s has no rank, and is what the task is about", e.Name)
	}
	task = v.Compact(task, "")
	if task.Has(ref("s", "s_"+wordFor(0))) < 0 {
		t.Errorf("after a compaction: %q", attachedNames(&task))
	}
}

// TestView_WantsWords: a message that a model answers out of itself gets few
// tools, and the others are named.
func TestView_WantsWords(t *testing.T) {
	t.Parallel()
	v := subjectView()
	task := v.Open(Opening{ID: "t", Message: "what's the difference between a common mutex and a semaphore, in two sentences"})
	if got, want := len(task.Attached), v.Settings.InitialK/wordsShare; got != want {
		t.Errorf("%d tools, want %d", got, want)
	}
	if got := len(namedIn(t, v, &task)); got < 30 {
		t.Errorf("%d tools are named, want the rest", got)
	}
}

package text

import (
	"strings"
	"testing"
)

func TestSteps(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in  string
		sentences string // joined by |
		clauses   string
	}{
		{"empty", "", "", ""},
		{"one request", "Send a message to Ann", "Send a message to Ann", "Send a message to Ann"},
		{"two sentences", "Read the notes folder. Summarise every file!",
			"Read the notes folder|Summarise every file", "Read the notes folder|Summarise every file"},
		{"clauses", "Read the notes folder and then send the summary to Ann, also close issue 12",
			"Read the notes folder and then send the summary to Ann, also close issue 12",
			"Read the notes folder|send the summary to Ann|close issue 12"},
		{"short pieces stay together", "Paint it red, green and blue", "Paint it red, green and blue", "Paint it red, green, blue"},
		{"list", "Do this:\n- open the page\n- take a screenshot\n", "Do this, - open the page|- take a screenshot",
			"Do this, - open the page|- take a screenshot"},
		{"dots inside words", "Upload report.pdf v1.2 to example.com now", "Upload report.pdf v1.2 to example.com now",
			"Upload report.pdf v1.2 to example.com now"},
		{"title before a name", "Move my visit to Dr. Lee (formerly Mrs. Kim). Mail Prof. Roy the new date.",
			"Move my visit to Dr. Lee (formerly Mrs. Kim)|Mail Prof. Roy the new date", "Move my visit to Dr. Lee (formerly Mrs. Kim)|Mail Prof. Roy the new date"},
		{"short word before a full stop", "Restart the staging db. Email the deploy log.", "Restart the staging db|Email the deploy log",
			"Restart the staging db|Email the deploy log"},
		{"polite opening joins", "Hi there! Could you help me? Book a flight to Oslo.", "Hi there, Could you help me, Book a flight to Oslo",
			"Hi there, Could you help me, Book a flight to Oslo"},
		{"Chinese", "查询明天北京天气。发送消息给小王，", "查询明天北京天气|发送消息给小王，", "查询明天北京天气|发送消息给小王"},
		{"joiner inside a word", "Rename the sandbox android thenceforth", "Rename the sandbox android thenceforth",
			"Rename the sandbox android thenceforth"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(Steps(test.in, false, 2, 8), "|"); got != test.sentences {
				t.Errorf("sentences:\n got %s\nwant %s", got, test.sentences)
			}
			if got := strings.Join(Steps(test.in, true, 2, 8), "|"); got != test.clauses {
				t.Errorf("clauses:\n got %s\nwant %s", got, test.clauses)
			}
		})
	}
}

func TestSteps_AtMostLimit(t *testing.T) {
	t.Parallel()
	message := strings.Repeat("Send one message. ", 100)
	got := Steps(message, true, 2, 8)
	if len(got) != 8 || strings.Count(strings.Join(got, " "), "Send") != 100 {
		t.Errorf("got %d pieces with %d requests, want 8 with 100", len(got), strings.Count(strings.Join(got, " "), "Send"))
	}
}

func FuzzSteps(f *testing.F) {
	for _, seed := range []string{"", "a. b, c and d", "。，、", ", and and and then ", "\n\n- x\n", "and ", ",,, "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, clauses := range []bool{false, true} {
			for _, step := range Steps(s, clauses, 2, 8) {
				if strings.TrimSpace(step) == "" {
					t.Fatalf("an empty step of %q", s)
				}
			}
		}
	})
}

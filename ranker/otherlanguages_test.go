package ranker

import (
	"strings"
	"testing"
)

func TestRank_OtherLanguages(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil, WithEmbedder(testConcepts))
	for _, test := range []struct{ query, want string }{
		{"Lösch bitte die Datei", "files.delete_file"},
		{"envoie un message sur le canal", "slack.postMessage"},
		{"abre una solicitud de cambios en el repositorio", "github.create_pull_request"},
		{"прочитай содержимое файла", "files.read_file"},
		{"チャンネルにメッセージを投稿して", "slack.postMessage"},
		{"파일 삭제해줘", "files.delete_file"},
		{"读取文件内容", "files.read_file"},
		// What matches by itself comes first.
		{"查询天气", "天气.查询"},
	} {
		if got := ids(c, c.Ranker(Auto).Rank(Query{Text: test.query, Limit: 1})); got != test.want {
			t.Errorf("%q finds %q first, want %s", test.query, got, test.want)
		}
	}
}

// A message says what it asks for in its own language: "zeig mir" only asks.
func TestRank_OtherLanguagesOnlyAskToo(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil, WithEmbedder(testConcepts))
	for message, want := range map[string]bool{"Welche Datei ist da?": true, "Lösch die Datei": false} {
		held := false
		for _, m := range c.Ranker(Auto).Rank(Query{Text: message, Explain: true}) {
			for _, p := range m.Parts {
				held = held || p.Name == "only asks to see"
			}
		}
		if held != want {
			t.Errorf("%q: deleting held back %v, want %v", message, held, want)
		}
	}
}

func TestExplain_OtherLanguages(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil, WithEmbedder(testConcepts))
	for _, m := range c.Ranker(Auto).Rank(Query{Text: "schick eine Nachricht an den Kanal bei Slack", Explain: true}) {
		if got := sumOfParts(m.Parts); got != m.Score {
			t.Errorf("%s: parts add up to %v, score is %v", c.Document(m.Doc).ID, got, m.Score)
		}
		if c.Document(m.Doc).ID != "slack.postMessage" {
			continue
		}
		const want = "Nachricht means message"
		if detail := detailOf(m.Parts, "other language"); !strings.Contains(detail, want) {
			t.Errorf("other language: %q, want %q in it; all parts: %v", detail, want, m.Parts)
		}
		if detail := detailOf(m.Parts, "server"); detail != "Slack" && detail != "slack" {
			t.Errorf("server: %q, want slack, which the message has itself", detail)
		}
	}
}

func detailOf(parts []Part, name string) string {
	for _, p := range parts {
		if p.Name == name {
			return p.Detail
		}
	}
	return ""
}

// English messages are what they were, to the byte.
func TestTranslation_LeavesEnglishAlone(t *testing.T) {
	t.Parallel()
	x := NewCorpus(office(t), nil).fusion()
	var w work
	for _, message := range []string{
		"", "list pods", "die on war", "pour me a plan de table", "send 日报 to the #team channel, please",
		"open /home/user/mes.txt and de_DE.po in a PR", "what does « résumé » mean in this file?",
		`translate "Lösch bitte die Datei" for me`, "rename UserSvc to AccountService everywhere", "café menu",
	} {
		if got := w.translation.translate(message, x.index, x.weights.Translated, &w.tokenizer); got != message {
			t.Errorf("%q became %q", message, got)
		}
	}
}

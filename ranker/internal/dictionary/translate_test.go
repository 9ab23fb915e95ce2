package dictionary

import (
	"strings"
	"testing"
)

// knows returns what a catalogue with the given words knows.
func knows(words string) func(string) bool {
	return func(word string) bool { return strings.Contains(" "+words+" ", " "+word+" ") }
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, in, want string }{
		{"grammar goes, names stay", "lösche bitte die Tabelle users in Berlin", "delete table users (user) Berlin"},
		{"accents left out", "cree une facture pour le client Dupont", "create bill invoice client customer Dupont"},
		{"inflection", "переименуй таблицами", "rename table"},
		{"a verb that leaves its particle", "leg bitte einen Ordner an", "create folder dir directory"},
		{"a compound", "zeige die Projektliste", "show project list"},
		{"a phrase", "au-dessus de cette page", "above page"},
		{"capitals are names", "ajoute Claire dans le projet", "add Claire project"},
		{"German nouns have capitals", "die Datei und das Bild", "file and image picture"},
		{"longest match", "コンテキストを削除して", "context delete deletion remove"},
		{"particles in Korean", "파일을 삭제해줘", "file delete"},
		{"no grammatical word", "Rechnungen exportieren", "invoice bill export"},
		{"words that English has too", "lösche die Tabelle users", "delete table users (user)"},
		{"none that tells", "crea un panel con la tasa de errores", "create panel rate error"},
		{"of two alike, whose grammar it has", "lista as faturas em aberto", "list bill invoice unpaid"},
		{"clause by clause", "Schick mir die Datei. Then run the tests.", "send file. Then run the tests."},
		{"an English quotation", `Übersetze „Your session has expired“ ins Spanische`, "translate „Your session has expired“ Spanische"},
		{"identifiers", "renomme old_page en new_page dans src/main.go", "rename old_page new_page src/main.go"},
		{"known words stand too", "schließe das Ticket", "close Ticket (ticket issue)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, meanings := Translate(test.in, knows("ticket users"))
			if got := strings.Join(strings.Fields(got), " "); got != test.want {
				t.Errorf("Translate(%q) = %q, want %q", test.in, got, test.want)
			}
			if len(meanings) == 0 {
				t.Errorf("Translate(%q) says nothing of what it took for what", test.in)
			}
		})
	}
}

func TestTranslate_LeavesAlone(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"", " ", "list pods", "die on war", "café menu", "last 10 sales", "a plan de table", "the de facto main file",
		`say "Lösch bitte die Datei" in English for me`, "fill the field with the value 测试",
		"Tôi cần một chuyến xe từ địa chỉ này", "أرسل رسالة إلى القناة", "\xff\xfe die \x00", strings.Repeat("-_", 500),
		"list file in desktop using dir Desktop", "make a bucket gs://ml-eu and acme-eu", "el paso flights to las vegas",
		"stop rec", "an app in sim", "ps aux: PID, cmd, %CPU",
		strings.Repeat("x", 10_000), strings.Repeat("ä", 10_000),
	} {
		if got, meanings := Translate(message, knows("last pods die war table menu file list main plan")); got != message || meanings != nil {
			t.Errorf("Translate(%q) = %q, %v; want it as it is", message, got, meanings)
		}
	}
}

func TestTranslate_SaysWhatItTookForWhat(t *testing.T) {
	t.Parallel()
	_, meanings := Translate("das Bild von Slack", knows("slack"))
	if len(meanings) != 1 || meanings[0].Form != "Bild" || meanings[0].Words[0] != "image" {
		t.Errorf("meanings %v, want image for Bild alone", meanings)
	}
}

// Whatever a message is, what is not translated stays in order.
func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{"Lösch die Datei!", "파일 삭제", "用 Slack 发送", "l’article « x »", "das\xff ist", "ＦＵＬＬ ー テキスト"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, message string) {
		out, meanings := Translate(message, knows("file"))
		if meanings == nil && out != message {
			t.Errorf("%q became %q without a reason", message, out)
		}
		for _, m := range meanings {
			if len(m.Words) == 0 || m.Form == "" {
				t.Errorf("%q: empty meaning %v", message, m)
			}
		}
	})
}

func BenchmarkTranslate(b *testing.B) {
	english := "open a pull request for the fix branch, ask the team for a review and post the link to the release channel"
	known := func(string) bool { return true }
	for _, bench := range []struct{ name, message string }{
		{"English", english},
		{"English3000", strings.Repeat(english+". ", 3000/len(english))},
		{"German", "Leg bitte ein Ticket im Projekt SHOP an: der Warenkorb verliert Artikel nach der Anmeldung"},
		{"Japanese", "このプロジェクトの課題を検索して、結果をチャンネルに投稿してください"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			Translate(bench.message, known)
			b.ReportAllocs()
			for b.Loop() {
				Translate(bench.message, known)
			}
		})
	}
}

package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// words returns the tokens of s, parts marked with a leading ~, wholes with =,
// grams with #.
func words(s string) string {
	var out []string
	var t Tokenizer
	t.Each(s, func(word []byte, form Form) {
		out = append(out, map[Form]string{Plain: "", Part: "~", Whole: "=", Gram: "#"}[form]+string(word))
	})
	return strings.Join(out, " ")
}

func TestTokenizer_Each(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"prose", "Send a Slack message.", "send a slack message"},
		{"snake case", "create_issue", "~create ~issue =createissue"},
		{"kebab case", "list-pull-requests", "~list ~pull ~requests =listpullrequests"},
		{"camel case", "postMessage", "~post ~message =postmessage"},
		{"double separator", "mcp__github", "~mcp ~github =mcpgithub"},
		{"acronym before a word", "HTTPServer", "~http ~server =httpserver"},
		{"acronym after a word", "parseJSON", "~parse ~json =parsejson"},
		{"plural acronym", "merge PDFs and IDs", "merge pdfs and ids"},
		{"plural acronym is not a word", "URLshort", "~ur ~lshort =urlshort"},
		{"digits", "sha256", "~sha ~256 =sha256"},
		{"brand name", "GitHub", "~git ~hub =github"},
		{"dots separate identifiers", "slack.postMessage", "slack ~post ~message =postmessage"},
		{"trailing separators", "file_ and -x", "file and x"},
		{"contractions", "I'm sure it's what you'd don’t", "i sure it what you don"},
		{"possessive", "the repo's branches", "the repo branches"},
		{"quote is not a contraction", "'re'name", "re name"},
		{"URL", "https://api.example.com/v2/users", "https api example com ~v ~2 =v2 users"},
		{"file", "report.pdf", "report pdf"},
		{"accents and case", "Café ÉCOLE naïve", "cafe ecole naive"},
		{"sharp s", "Straße STRASSE", "strasse strasse"},
		{"ligature and full width", "ﬁle ＡＢＣ", "file abc"},
		{"Cyrillic", "Создать Задачу", "создать задачу"},
		{"Arabic without points", "رِسَالَة", "رساله"},
		{"Arabic with and without hamza", "أرسل ارسل إلى الى آخر ٱخر مسؤول قائمة", "ارسل ارسل الي الي اخر اخر مسوول قايمه"},
		{"Chinese", "发送消息", "#发送 #送消 #消息"},
		{"one Han character", "查 file", "#查 file"},
		{"mixed scripts", "用GitHub创建issue", "#用 ~git ~hub =github #创建 issue"},
		{"Japanese", "ファイル", "#ファ #ァイ #イル"},
		{"Korean", "파일 삭제", "#파일 #삭제"},
		{"Thai", "ไฟล์", "#ไฟ #ฟล #ล์"},
		{"Hindi keeps its vowels", "फ़ाइल", Fold("फ़ाइल")},
		{"emoji", "🚀 launch 🚀", "launch"},
		{"invalid UTF-8", "a\xff\xfeb", "a b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := words(test.in); got != test.want {
				t.Errorf("words of %q:\n got %s\nwant %s", test.in, got, test.want)
			}
		})
	}
}

func TestTokenizer_CutsBlobs(t *testing.T) {
	t.Parallel()
	var tokenizer Tokenizer
	for _, blob := range []string{strings.Repeat("x", 5000), strings.Repeat("ab1", 5000), strings.Repeat("é", 5000)} {
		tokenizer.Each(blob, func(word []byte, _ Form) {
			if len(word) > maxWord {
				t.Errorf("a word of %d bytes, want at most %d", len(word), maxWord)
			}
		})
	}
}

func FuzzTokenizer(f *testing.F) {
	for _, seed := range []string{
		"", "create_issue", "postMessage HTTPServer PDFs", "发送消息 用GitHub创建issue", "I'm you'd ''s",
		"a\xff\xfeb", "-_-_-", "ﬁle ＡＢＣ ß ς İ", "फ़ाइल ไฟล์ 파일", strings.Repeat("aB", 200), "\u0301a\u0301",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		first := words(s)
		if again := words(s); again != first {
			t.Fatalf("two readings of %q differ:\n%s\n%s", s, first, again)
		}
		var tokenizer Tokenizer
		tokenizer.Each(s, func(word []byte, _ Form) {
			if len(word) == 0 || !utf8.Valid(word) {
				t.Fatalf("word %q of %q is empty or not UTF-8", word, s)
			}
		})
	})
}

func BenchmarkTokenizer(b *testing.B) {
	s := strings.Repeat("Creates a new issue in a GitHub repository; returns its issue_number and htmlUrl. ", 12)
	var tokenizer Tokenizer
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		tokenizer.Each(s, func([]byte, Form) {})
	}
}

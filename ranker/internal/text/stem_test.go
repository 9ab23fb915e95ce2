package text

import "testing"

func TestStem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"messages", "messag"}, {"messaging", "messag"}, {"created", "creat"}, {"create", "creat"},
		{"issues", "issu"}, {"queries", "queri"}, {"query", "queri"},
		{"pdfs", "pdf"}, {"csvs", "csv"}, {"urls", "url"}, {"dns", "dns"}, {"css", "css"}, {"press", "press"},
		{"git", "git"}, {"sql", "sql"}, {"pr", "pr"}, {"sha256", "sha256"}, {"naïve", "naïve"}, {"", ""},
	} {
		if got := Stem(test.in); got != test.want {
			t.Errorf("Stem(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestIsStop_SparesShortNames(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"git", "sql", "pr", "pdf", "url", "api", "ci", "db", "ssh", "go", "run"} {
		if IsStop(word) {
			t.Errorf("%q counts as a stop word", word)
		}
	}
	for _, word := range []string{"the", "and", "a", "of", "with"} {
		if !IsStop(word) {
			t.Errorf("%q does not count as a stop word", word)
		}
	}
}

func BenchmarkStem(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Stem("notifications")
	}
}

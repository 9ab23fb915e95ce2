package text

import "testing"

func TestWriteOut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"send a message", "send a message"},
		{"review PR 4312", "review PR (pull request) 4312"},
		{"close the PR, then the PRs before", "close the PR (pull request), then the PRs (pull requests) before"},
		{"ci", "ci (continuous integration, pipeline, build)"},
		{"Is it a bug? Fix the bug.", "Is it a bug (issue)? Fix the bug (issue)."},
		{"print the prs1 of CIRCLE", "print the prs1 of CIRCLE"},
		{"run pr_list and my-bug", "run pr_list and my-bug"},
		{"see .github/ci/x.yml, k8s.io and me@pr.org", "see .github/ci/x.yml, k8s.io and me@pr.org"},
		{"レビュー PR 4312 を", "レビュー PR (pull request) 4312 を"},
	} {
		if got := WriteOut(test.in); got != test.want {
			t.Errorf("WriteOut(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestWriteOut_TheTableFitsItsLimit(t *testing.T) {
	t.Parallel()
	for word := range jargon {
		if len(word) > longestJargon || word != Fold(word) {
			t.Errorf("%q is never found: words of at most %d bytes are looked up, folded", word, longestJargon)
		}
	}
}

package process

import (
	"slices"
	"testing"
)

func TestMergeEnv(t *testing.T) {
	t.Parallel()
	own := map[string]string{"HOME": "/h", "PATH": "/bin", "SHELL": "() { evil; }", "AWS_SECRET": "x", "Path": "C:\\bin", "TEMP": "t"}
	lookup := func(name string) (string, bool) { v, ok := own[name]; return v, ok }
	host := map[string]string{"HTTPS_PROXY": "http://proxy", "HOME": "/host"}
	entry := map[string]string{"HOME": "/entry", "KEY": "k=v", "path": "C:\\mine"}
	tests := map[string][]string{
		"linux":   {"HOME=/entry", "HTTPS_PROXY=http://proxy", "KEY=k=v", "PATH=/bin", "path=C:\\mine"},
		"windows": {"HOME=/entry", "HTTPS_PROXY=http://proxy", "KEY=k=v", "TEMP=t", "path=C:\\mine"},
	}
	for goos, want := range tests {
		if got := mergeEnv(goos, lookup, host, entry); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", goos, got, want)
		}
	}
}

// TestShellCommandLine: what cmd.exe and then the program make of it is what
// was meant. The expected lines were worked out by hand from the rules named
// at the function.
func TestShellCommandLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		script string
		args   []string
		want   string
	}{
		{`C:\npx.cmd`, nil, `cmd.exe /d /s /c "^"C:\npx.cmd^""`},
		{`C:\Program Files\npx.cmd`, []string{"-y"}, `cmd.exe /d /s /c "^"C:\Program^ Files\npx.cmd^" ^^^"-y^^^""`},
		{`n`, []string{`a"b`}, `cmd.exe /d /s /c "^"n^" ^^^"a\^^^"b^^^""`},
		{`n`, []string{`%PATH%&calc`}, `cmd.exe /d /s /c "^"n^" ^^^"^^^%PATH^^^%^^^&calc^^^""`},
		{`n`, []string{`C:\dir\`}, `cmd.exe /d /s /c "^"n^" ^^^"C:\dir\\^^^""`},
		{`n`, []string{``}, `cmd.exe /d /s /c "^"n^" ^^^"^^^""`},
	}
	for _, test := range tests {
		if got := shellCommandLine(test.script, test.args); got != test.want {
			t.Errorf("%q %q:\n%s, want\n%s", test.script, test.args, got, test.want)
		}
	}
}

func TestNeedsShell(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{`C:\node.exe`: false, `C:\X.EXE`: false, `a.com`: false, `npx.cmd`: true, `x.bat`: true, `npx`: true} {
		if needsShell(path) != want {
			t.Errorf("%s: %t", path, !want)
		}
	}
}

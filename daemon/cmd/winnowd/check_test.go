package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
)

// TestCheck: a capture is looked at in each form, and the command ends as CI needs
// it.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.json"), filepath.Join(dir, "bad.json")
	configtest.Write(t, good, `{"tools":[{"name":"read_note","description":"Reads one note.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}]}`)
	configtest.Write(t, bad, `{"tools":[{"name":"read note","description":"Reads one note.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}]}`)
	run := func(args ...string) (string, int) {
		c := root()
		var out, failed bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&failed)
		c.SetArgs(append([]string{"check"}, args...))
		err := c.Execute()
		var exit exitError
		if errors.As(err, &exit) {
			return out.String(), exit.code
		}
		if err != nil {
			t.Error(err)
		}
		return out.String(), 0
	}
	baseline := filepath.Join(dir, "baseline.json")
	for name, tt := range map[string]struct {
		args []string
		want string
		code int
	}{
		"good":          {[]string{good, "--write-baseline", baseline}, "Nothing is found.", 0},
		"bad":           {[]string{bad}, "name-refused", exitFindings},
		"never":         {[]string{"--fail-on", "never", bad}, "name-refused", 0},
		"over budget":   {[]string{"--budget", "3", good}, "over-budget", exitFindings},
		"no such file":  {[]string{filepath.Join(dir, "gone.json")}, "", exitUnchecked},
		"no messages":   {[]string{"--messages", good, good}, "", exitUnchecked},
		"no such level": {[]string{"--fail-on", "all", good}, "", exitUsage},
	} {
		if out, code := run(tt.args...); code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%s: ends with %d, want %d:\n%s", name, code, tt.code, out)
		}
	}
	run(good, "--write-baseline", baseline)
	if out, code := run("--baseline", baseline, "--fail-on", "warning", bad); code != exitFindings || !strings.Contains(out, "gone") {
		t.Errorf("since the baseline: %d\n%s", code, out)
	}
	raw, _ := run("--json", bad)
	var report struct{ Findings []struct{ Rule string } }
	if err := json.Unmarshal([]byte(raw), &report); err != nil || len(report.Findings) == 0 || report.Findings[0].Rule != "name-refused" {
		t.Errorf("%v: %s", err, raw)
	}
	if raw, _ := run("--sarif", bad); !json.Valid([]byte(raw)) || !strings.Contains(raw, `"uri"`) {
		t.Errorf("SARIF: %s", raw)
	}
}

// TestCheck_action: the step of the GitHub action builds the program, writes SARIF,
// and ends as the check does.
func TestCheck_action(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("the action's step is a script of bash")
	}
	script, err := filepath.Abs("../../../.github/actions/check/check.sh")
	if err != nil {
		t.Fatal(err)
	}
	action, err := os.ReadFile(filepath.Join(filepath.Dir(script), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		tool string
		code int
	}{"good": {"read_note", 0}, "bad": {"read note", exitFindings}} {
		dir := t.TempDir()
		configtest.Write(t, filepath.Join(dir, "tools.json"),
			`{"tools":[{"name":"`+tt.tool+`","description":"Reads one note.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}]}`)
		c := exec.CommandContext(t.Context(), bash, script)
		c.Dir = dir
		c.Env = append(os.Environ(), "SERVER=tools.json", "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary.md"))
		out, err := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != tt.code {
			t.Errorf("%s: ends with %d, want %d: %v\n%s", name, code, tt.code, err, out)
		}
		sarif, err := os.ReadFile(filepath.Join(dir, "winnow-check.sarif"))
		if err != nil || !json.Valid(sarif) {
			t.Errorf("%s: SARIF: %v: %s", name, err, sarif)
		}
		if summary, err := os.ReadFile(filepath.Join(dir, "summary.md")); err != nil || !bytes.Contains(summary, []byte("1 tool")) {
			t.Errorf("%s: the summary: %v: %s", name, err, summary)
		}
	}
	for _, variable := range []string{"SERVER", "MESSAGES", "BASELINE", "FAIL_ON", "BUDGET", "SARIF", "WINNOWD"} {
		if !bytes.Contains(action, []byte("\n        "+variable+": ${{ inputs.")) {
			t.Errorf("the action does not hand over %s", variable)
		}
	}
}

package config

import (
	"bytes"
	"reflect"
	"testing"
	"time"
)

// The fuzz targets start from testdata/fuzz, which keeps one valid and some odd
// texts for each dialect, and whatever fuzzing found.

func FuzzParseWinnow(f *testing.F) { fuzzParse(f, Source{Path: "f", Dialect: Winnow}) }
func FuzzParseClaude(f *testing.F) { fuzzParse(f, Source{Path: "f", Dialect: Claude}) }
func FuzzParseClaudeProject(f *testing.F) {
	fuzzParse(f, Source{Path: "f", Dialect: Claude, Project: "/w"})
}
func FuzzParseRoo(f *testing.F)    { fuzzParse(f, Source{Path: "f", Dialect: Roo}) }
func FuzzParseCursor(f *testing.F) { fuzzParse(f, Source{Path: "f", Dialect: Cursor}) }
func FuzzParseVSCode(f *testing.F) { fuzzParse(f, Source{Path: "f", Dialect: VSCode}) }
func FuzzParseCodex(f *testing.F)  { fuzzParse(f, Source{Path: "f", Dialect: Codex}) }
func FuzzParseModes(f *testing.F)  { fuzzParse(f, Source{Path: "f", Dialect: RooModes}) }

// fuzzParse checks what holds for every text: it is read in reasonable time,
// the same way each time, and what comes out can be merged and expanded.
func fuzzParse(f *testing.F, source Source) {
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		file := Parse(source, data)
		if took := time.Since(start); took > 20*time.Second+time.Duration(len(data))*time.Microsecond {
			t.Errorf("%d bytes took %v", len(data), took)
		}
		if again := Parse(source, data); !reflect.DeepEqual(file, again) {
			t.Error("not the same the second time")
		}
		checkFile(t, file)
		config := Merge([]File{file}, MergeOptions{Trusted: true, Consent: agreed, Rules: agreed})
		for _, s := range config.Servers {
			checkServer(t, s)
		}
	})
}

// checkFile checks what every file promises.
func checkFile(t *testing.T, file File) {
	t.Helper()
	if file.Broken && (len(file.Problems) != 1 || file.Entries != nil || file.Modes != nil) {
		t.Errorf("a broken file has content, or no single reason: %+v", file)
	}
	if len(file.Problems) > maxProblems {
		t.Errorf("%d problems", len(file.Problems))
	}
	for _, p := range file.Problems {
		if p.Message == "" || p.Line < 0 || (p.Line == 0) != (p.Column == 0) || p.Path != file.Source.Path {
			t.Errorf("not a problem: %#v", p)
		}
	}
	for _, m := range file.Modes {
		if m.Slug == "" {
			t.Errorf("a mode without a slug: %+v", m)
		}
	}
	for _, in := range file.Inputs {
		if in.ID == "" {
			t.Errorf("an input without an id: %+v", in)
		}
	}
}

// checkServer checks what every server promises that can be started.
func checkServer(t *testing.T, s Server) {
	t.Helper()
	if s.Invalid == nil {
		d := s.Definition
		if (d.Transport == Stdio) != (d.Command != "") || (d.Transport == Stdio) == (d.URL != "") {
			t.Errorf("transport %q, command %q, url %q", d.Transport, d.Command, d.URL)
		}
		if p := s.Policy; p.Timeout != 0 && (p.Timeout < minTimeout || p.Timeout > maxTimeout) {
			t.Errorf("timeout %v", p.Timeout)
		}
	}
	expanded := Expand(s, lookup())
	if !reflect.DeepEqual(expanded, Expand(s, lookup())) {
		t.Error("not expanded the same way the second time")
	}
}

// FuzzEdit edits every server of a text. The result is a text of the same
// strictness in which nothing else changed, and editing it again changes
// nothing.
func FuzzEdit(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte, tool, description string) {
		source := Source{Path: "f", Dialect: Claude}
		before := Parse(source, data)
		config := Merge([]File{before}, MergeOptions{Trusted: true, Consent: agreed, Rules: agreed})
		for _, s := range config.Servers {
			for _, edit := range []Edit{
				SetToolEnabled(s, tool, false), SetToolEnabled(s, tool, true), SetServerEnabled(s, false),
				SetAlwaysLoad(s, tool, true), SetApproved(s, tool, true), SetDescription(s, tool, description),
			} {
				changed, err := edit.Apply(data)
				if err != nil {
					continue
				}
				checkEdit(t, source, data, changed)
				checkOthers(t, s.Name, before, Parse(source, changed))
				again, err := edit.Apply(changed)
				if err != nil || !bytes.Equal(again, changed) {
					t.Errorf("edited twice: %v\n%s\n%s", err, changed, again)
				}
			}
		}
	})
}

// checkOthers checks that an edit of one entry left the others alone.
func checkOthers(t *testing.T, name string, before, after File) {
	t.Helper()
	if len(before.Entries) != len(after.Entries) {
		t.Fatalf("%d entries became %d", len(before.Entries), len(after.Entries))
	}
	for i, e := range after.Entries {
		old := before.Entries[i]
		if e.Name != old.Name {
			t.Errorf("entry %d was called %q and is %q", i, old.Name, e.Name)
		}
		if e.Name != name && (!reflect.DeepEqual(e.Definition, old.Definition) || !reflect.DeepEqual(e.Policy, old.Policy)) {
			t.Errorf("entry %q changed", e.Name)
		}
		if e.Name == name && !reflect.DeepEqual(e.Definition, old.Definition) {
			t.Errorf("the definition of %q changed", e.Name)
		}
	}
}

// FuzzEnvFile: no text makes a name that an environment cannot have.
func FuzzEnvFile(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		env, bad := parseEnvFile(data)
		for name := range env {
			if !isEnvName(name) {
				t.Errorf("name %q", name)
			}
		}
		lines := bytes.Count(data, []byte("\n")) + 1
		for _, line := range bad {
			if line < 1 || line > lines {
				t.Errorf("line %d of %d", line, lines)
			}
		}
	})
}

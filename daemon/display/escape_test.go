package display

import "testing"

// A server's words cannot become a link or an icon.
func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"[x](command:rm)":        `\[x\]\(command:rm\)`,
		"<img> $(x)":             `\<img\> \$\(x\)`,
		"one\r\ntwo":             "one  \ntwo",
		"https://evil.example/a": `https:\/\/evil\.example/a`,
		"a\r===\n\n    b":        "a  \n\\=\\=\\=  \n  \n\u00a0\u00a0\u00a0\u00a0b",
		"":                       "",
		"שלום 👩‍👧 read_file":     `שלום 👩‍👧 read\_file`,
	} {
		if got := Markdown(text); got != want {
			t.Errorf("Markdown(%q) = %q, want %q", text, got, want)
		}
	}
}

// A name stays on the line, in the cell and in the code where it stands.
func TestCode(t *testing.T) {
	for text, want := range map[string]string{
		"read_file": "`read_file`", "a`b": "`a b`", "a|b": "`a b`", "a\r\n\nb": "`a b`", "[x](command:y)": "`[x](command:y)`",
	} {
		if got := Code(text); got != want {
			t.Errorf("Code(%q) = %q, want %q", text, got, want)
		}
	}
}

// A label shows what looks like an icon as it is written.
func TestWithoutIcons(t *testing.T) {
	for text, want := range map[string]string{
		"read": "read", "$(check) safe": `\$(check) safe`, "$(loading~spin)": `\$(loading~spin)`, "costs $(5 + 1)": "costs $(5 + 1)",
	} {
		if got := withoutIcons(text); got != want {
			t.Errorf("withoutIcons(%q) = %q, want %q", text, got, want)
		}
	}
}

package imports

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// file is a text that is being edited.
type file struct {
	editor *jsonc.Editor
	root   jsonc.Object
}

// open parses a text; blank text is an empty object.
func open(path, text string) (file, error) {
	if strings.TrimSpace(text) == "" {
		text = emptyFile
	}
	editor, failure := jsonc.NewEditor([]byte(text))
	if failure != nil {
		next := ""
		if failure.Hint != "" {
			next = ": " + failure.Hint
		}
		return file{}, fmt.Errorf("%s:%d:%d: %s%s", path, failure.Position.Line, failure.Position.Column, failure.Message, next)
	}
	root, err := editor.Root()
	if err != nil {
		return file{}, fmt.Errorf("%s: %w", path, err)
	}
	return file{editor, root}, nil
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (f file) text() *string {
	text := string(f.editor.Text())
	return &text
}

// servers returns the object with a dialect's servers; ok is false if there is none.
func (f file) servers(key string) (servers jsonc.Object, ok bool) {
	servers, err := f.root.Child(key, false)
	return servers, err == nil
}

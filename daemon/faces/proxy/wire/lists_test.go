package wire

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A request whose list of tools is known is read as any other.
func TestLists_Read(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{Chat, Responses, Messages, Gemini} {
		body := fullRequest(t, format)
		list := read(t, format, string(body)).tools
		// A list is remembered from some length on, which spaces have as well.
		text := slices.Concat([]byte("["), bytes.Repeat([]byte(" "), minKnownList), list.in(body)[1:])
		body = slices.Concat(body[:list.start], text, body[list.end:])
		var l Lists
		for name, other := range map[string][]byte{
			"the first":              body,
			"the same":               body,
			"the list elsewhere":     slices.Concat([]byte(`{"more":"text",`), body[1:]),
			"twice":                  slices.Concat([]byte(`{"more":`), text, []byte(","), body[1:]),
			"not as the list":        slices.Concat([]byte(`{"more":`), text, []byte("}")),
			"in a text":              slices.Concat([]byte(`{"more":"`), bytes.ReplaceAll(text, []byte(`"`), []byte(`\"`)), []byte(`","model":"m"}`)),
			"a list without an end":  slices.Concat([]byte(`{"tools":`), text),
			"something after it":     slices.Concat([]byte(`{"tools":`), text, []byte(`7}`)),
			"a broken body after it": slices.Concat([]byte(`{"tools":`), text, []byte(`,"messages":[{]}`)),
			"another list":           bytes.Replace(body, []byte("mcp"), []byte("mcq"), 1),
		} {
			if _, err := l.Read(format, body); err != nil {
				t.Fatal(err)
			}
			want, wantErr := Read(format, other)
			got, err := l.Read(format, other)
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Errorf("%s, %s: got the error %v, want %v", format, name, err, wantErr)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: got %+v, want %+v", format, name, got, want)
			}
		}
		if known, at := l.find(format, body); known == nil || known.read(body, at) == nil {
			t.Errorf("%s: the list is not known", format)
		}
	}
}

// What several requests at a time have read is remembered once.
func TestLists_once(t *testing.T) {
	t.Parallel()
	var l Lists
	for range 3 {
		l.remember(read(t, Chat, `{"tools":[`+strings.Repeat(" ", minKnownList)+`]}`))
	}
	if n := len(l.known); n != 1 {
		t.Errorf("the same list is remembered %d times, want once", n)
	}
}

func TestLists_bounded(t *testing.T) {
	t.Parallel()
	var l Lists
	for i := range 2 * maxKnownLists {
		for range 2 {
			if _, err := l.Read(Chat, []byte(`{"tools":[`+strings.Repeat(" ", minKnownList+i)+`]}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(l.known); n != maxKnownLists {
		t.Errorf("%d lists are remembered, want %d", n, maxKnownLists)
	}
	if _, err := l.Read(Chat, []byte(`{"tools":[]}`)); err != nil || len(l.known) != maxKnownLists {
		t.Errorf("a short list: %v, %d remembered", err, len(l.known))
	}
}

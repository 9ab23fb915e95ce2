package main

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestTypeScript(t *testing.T) {
	t.Parallel()
	pkg := parse(t, `
const (
	MethodAsk = "ask"
	MethodTold = "told"
	// MaxLen is the most.
	MaxLen = 9
)
// Code is a code.
type Code int32
const (
	// CodeBad is bad.
	CodeBad Code = -1
)
// Ask asks. See [Colour] and [markdown](x) */.
type Ask struct {
	Base
	// Colours, many
	// of them.
	Colours []Colour 'json:"colours"'
	Raw json.RawMessage 'json:"raw,omitempty"'
	Limit *int 'json:"limit,omitempty"'
	Free *int 'json:"free"'
	Both X 'json:"both" types:"boolean,string[]"'
	Many []*int 'json:"many"'
	Labels map[string]string 'json:"labels"'
	On bool 'json:"on"'
}
type Base struct { ID string 'json:"id"' }
type Empty struct {}
type Colour string
const (
	// Red: a warm one.
	Red Colour = "red"
	Blue Colour = "blue"
)
type Unreached struct { F string 'json:"f"' }`)
	got, err := typeScript(pkg, []Row{
		{Method: "ask", Direction: protocol.ToServer, Params: "Ask", Result: "Empty"},
		{Method: "told", Direction: protocol.ToClient, Params: "Empty"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `// Code generated from package protocol by ¸go generate ./protocol¸. DO NOT EDIT.

import { NotificationType, RequestType } from "vscode-jsonrpc";

/** MaxLen is the most. */
export const PROTOCOL_MAX_LEN = 9;

/** Code is a code. */
export const Code = {
  /** Bad. */
  Bad: -1,
} as const;
export type Code = (typeof Code)[keyof typeof Code];

/** Ask asks. See {@link Colour} and [markdown](x) *\/. */
export interface Ask extends Base {
  /**
   * Colours, many
   * of them.
   */
  colours: Colour[];
  raw?: unknown;
  limit?: number;
  free: number | null;
  both: boolean | string[];
  many: (number | null)[];
  labels: Record<string, string>;
  on: boolean;
}

export interface Base {
  id: string;
}

export type Empty = Record<string, never>;

export type Colour =
  /** A warm one. */
  | "red"
  | "blue";

/** Host to daemon. */
export const Ask = new RequestType<Ask, Empty, ErrorData>(
  "ask",
);

/** Daemon to host. */
export const Told = new NotificationType<Empty>(
  "told",
);
`
	if want = strings.ReplaceAll(want, "¸", "`"); string(got) != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"one\ntwo\n\nthree":       "one two\n\nthree",
		"a list:\n\n  - x\n  - y": "a list:\n\n  - x\n  - y",
		"\t{\n\t  \"a\": 1\n\t}":  "```\n{\n  \"a\": 1\n}\n```",
		"":                        "",
	} {
		if got := markdown(in); got != want {
			t.Errorf("markdown(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPlainDoc(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, doc, want string }{
		{"Red", "Red: a warm one.", "A warm one."},
		{"Red", "Red is warm.", "Warm."},
		{"Red", "Redder than most.", "Redder than most."},
		{"Red", "Über all.", "Über all."},
		{"Red", "Red", "Red"},
		{"Red", "", ""},
	} {
		if got := plainDoc(tc.name, tc.doc); got != tc.want {
			t.Errorf("plainDoc(%q, %q) = %q, want %q", tc.name, tc.doc, got, tc.want)
		}
	}
}

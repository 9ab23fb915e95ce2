package editor_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// refused is the error that the daemon answered with; zero for none.
func refused(err error) daemontest.Error {
	var answered *daemontest.Error
	if !errors.As(err, &answered) {
		return daemontest.Error{}
	}
	return *answered
}

// wireCodes are what clients tell errors apart by: JSON-RPC's and LSP's numbers,
// and Winnow's own.
func wireCodes() map[protocol.ErrorKind]protocol.Code {
	return map[protocol.ErrorKind]protocol.Code{
		protocol.KindCancelled:       -32800,
		protocol.KindInternal:        -32603,
		protocol.KindInvalidParams:   -32602,
		protocol.KindMethodNotFound:  -32601,
		protocol.KindLifecycle:       -32600,
		protocol.KindNotInitialized:  -32002,
		protocol.KindVersion:         -32600,
		protocol.KindContentModified: -32801,
		protocol.KindUnknownTask:     1001,
		protocol.KindUnknownServer:   1002,
		protocol.KindUnknownTool:     1003,
		protocol.KindUnknownMode:     1004,
		protocol.KindUnknownSource:   1005,
		protocol.KindOutOfScope:      1010,
		protocol.KindNotAttached:     1011,
		protocol.KindLimit:           1012,
		protocol.KindHostTool:        1013,
		protocol.KindUnavailable:     1020,
		protocol.KindTimeout:         1021,
		protocol.KindCallFailed:      1022,
		protocol.KindSignIn:          1023,
		protocol.KindInvalidArgument: 1024,
		protocol.KindConfig:          1030,
		protocol.KindEdit:            1031,
	}
}

// TestErrors: each kind of error has its code on the wire, and its data arrives
// whole.
func TestErrors(t *testing.T) {
	t.Parallel()
	h, f := overFake(t)
	fails := func(name string, err error, want daemontest.Error) {
		t.Helper()
		f.expect(nil)
		f.fail(0, err)
		_, answered := h.Begin(protocol.MethodServerLog, protocol.ServerParams{Name: "notes"}).Await()
		if got := refused(answered); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	cause := &protocol.Cause{Kind: protocol.CauseMode, Owner: "review", Key: "allowedMcpServers", Text: "why"}
	for kind, code := range wireCodes() {
		err := &failure.Error{
			Kind: kind, Owner: failure.Owner{Server: "notes", Tool: "read", File: "/w/winnow.json"}, Cause: "no", Rule: cause, Next: "Do this.",
		}
		data := protocol.ErrorData{
			Kind: kind, Server: "notes", Tool: "read", File: "/w/winnow.json", Cause: cause, Next: "Do this.",
		}
		switch kind {
		case protocol.KindUnknownServer:
			data.Next = "Check the name against catalog/list."
		case protocol.KindUnknownSource:
			data.Next = "Hand its tools over by catalog/setHostTools first."
		case protocol.KindUnknownTask:
			data.Next = "Open one by task/open, or resume it by task/resume with the state of its last attachment."
		}
		fails(string(kind), fmt.Errorf("while it works: %w", err), daemontest.Error{Code: code, Message: "while it works: no", Data: data})
	}
	for name, tt := range map[string]struct {
		err  error
		code protocol.Code
		data protocol.ErrorData
	}{
		"a refusal of the router": {
			&router.Refusal{Kind: protocol.KindOutOfScope, ID: router.ToolID{Server: "notes", Tool: "read"}, Cause: cause, Next: "Do this."},
			protocol.CodeOutOfScope, protocol.ErrorData{Kind: protocol.KindOutOfScope, Server: "notes", Tool: "read", Cause: cause, Next: "Do this."},
		},
		"a server that there is not": {
			&upstream.UnknownServerError{Server: "notes"},
			protocol.CodeUnknownServer, protocol.ErrorData{Kind: protocol.KindUnknownServer, Server: "notes", Next: "Check the name against catalog/list."},
		},
		"given up":      {context.Canceled, protocol.CodeRequestCancelled, protocol.ErrorData{Kind: protocol.KindCancelled}},
		"anything else": {errors.New("disk full"), protocol.CodeInternalError, protocol.ErrorData{Kind: protocol.KindInternal, Next: "See the daemon's log, and report it."}},
	} {
		fails(name, tt.err, daemontest.Error{Code: tt.code, Message: tt.err.Error(), Data: tt.data})
	}
}

// TestErrors_everyKind fails when an error would be sent without a code.
func TestErrors_everyKind(t *testing.T) {
	t.Parallel()
	kinds := declaredKinds(t)
	slices.Sort(kinds)
	if tested := slices.Sorted(maps.Keys(wireCodes())); !slices.Equal(tested, kinds) {
		t.Errorf("tested %q\ndeclared %q", tested, kinds)
	}
}

// declaredKinds are the values of [protocol.ErrorKind], as its source has them:
// a constant without a code would be missed by no compiler.
func declaredKinds(t *testing.T) []protocol.ErrorKind {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash("../../../protocol/errors.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []protocol.ErrorKind
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || fmt.Sprint(spec.Type) != "ErrorKind" {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, protocol.ErrorKind(value))
		return false
	})
	if len(kinds) == 0 {
		t.Fatal("protocol/errors.go declares no ErrorKind")
	}
	return kinds
}

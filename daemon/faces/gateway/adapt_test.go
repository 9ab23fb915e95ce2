package gateway

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/principal"
)

// TestAdapt_title: a client's task is listed by the client's name, not as "Task 2".
func TestAdapt_title(t *testing.T) {
	t.Parallel()
	e := Adapt(enginetest.Start(t, enginetest.Options{}, nil).Engine)
	for name, want := range map[string]string{"Visual Studio Code": "Visual Studio Code", " a\nclient ": "a client", "": "gateway"} {
		for _, shared := range []bool{false, true} {
			c := mcpserver.Client{Principal: principal.Local, Person: mcpserver.Person{Name: name}, Shared: shared}
			if got := e.OpenTask(c).Facts().Title; got != want {
				t.Errorf("client %q, shared %v: title %q, want %q", name, shared, got, want)
			}
		}
	}
}

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/gateway"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/router"
)

// settleTime is how long after its start the gateway lets a call wait for
// servers whose tools are unknown. A server that hangs costs no more than that,
// and later nothing.
const settleTime = 10 * time.Second

// unknownServers names the servers that are about to be ready for the first
// time, so that their tools are still to come.
func (w *workspace) unknownServers() []string {
	var names []string
	for _, s := range w.known.Load().Servers {
		if len(s.Tools) == 0 && aboutToBeReady(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// starting reports whether a server is about to be ready.
func (w *workspace) starting() bool {
	return slices.ContainsFunc(w.known.Load().Servers, aboutToBeReady)
}

// aboutToBeReady reports whether a server starts, or will as soon as the
// session has begun.
func aboutToBeReady(s upstream.ServerSnapshot) bool {
	return s.Status.State == upstream.Starting ||
		s.Status.State == upstream.Configured && (s.Hold == "" || s.Hold == holdStart)
}

// unknownTo names the servers of unknownServers that the task may have tools of.
func (g *gatewaySession) unknownTo(v *router.View) []string {
	unknown := g.server.workspace.unknownServers()
	return slices.DeleteFunc(v.Unlisted(), func(name string) bool { return !slices.Contains(unknown, name) })
}

// awaitKnown lets a call wait that nothing known can answer, as long as it makes
// sense: until the tool is there, no server is to be waited for, or the
// gateway's time to settle is over. It returns what to add to the answer of a
// search about servers that were not searched.
func (g *gatewaySession) awaitKnown(ctx context.Context, c gateway.Call) (note string) {
	w := g.server.workspace
	for {
		changed := w.news.wait()
		v, t, err := g.serve(ctx)
		if err != nil {
			return ""
		}
		unknown := g.unknownTo(v)
		if len(unknown) == 0 {
			return ""
		}
		known, searches := answerable(v, &t, c.Name, c.Arguments)
		if !known {
			select {
			case <-changed:
				continue
			case <-g.server.face.settled():
			case <-ctx.Done():
			}
		}
		if searches {
			return fmt.Sprintf("[Not searched, because they are still starting: %s. Search again if you miss something of theirs.]",
				nameList(unknown))
		}
		return ""
	}
}

// answerable reports whether what is known answers a call, and whether it is one
// that searches.
func answerable(v *router.View, t *router.Task, name string, arguments json.RawMessage) (known, searches bool) {
	switch name {
	case router.CallName:
		var inner struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if decode(objectOf(arguments), &inner) != nil || inner.Name == router.CallName {
			return true, false // it is refused
		}
		return answerable(v, t, inner.Name, inner.Arguments)
	case router.ResultName:
		return true, false
	case router.SearchName, router.LoadName:
		var wanted searchArguments
		if decode(objectOf(arguments), &wanted) != nil {
			return true, false // it is refused
		}
		_, found := v.FindTools(*t, router.Find(wanted))
		return len(found.Tools) > 0, true
	}
	_, err := v.Find(t, name)
	return err == nil, false
}

// nameList lists names of servers, in bounded length.
func nameList(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

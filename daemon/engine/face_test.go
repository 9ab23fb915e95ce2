package engine_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/protocol"
)

// toyFace is all that a face needs: it lists the servers over plain HTTP. It
// knows the engine and the types of package protocol, and nothing of JSON-RPC
// or MCP.
type toyFace struct{ engine *engine.Engine }

// ServeHTTP answers GET /servers?mode=….
func (f toyFace) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	list, err := f.engine.Catalog.List(&protocol.CatalogListParams{Mode: r.FormValue("mode"), ServersOnly: true})
	if err != nil {
		data := engine.Describe(r.Context(), err)
		http.Error(w, err.Error()+". "+data.Next, http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(list.Servers)
}

func TestToyFace(t *testing.T) {
	t.Parallel()
	face := toyFace{open(t, host.None{}, `{"servers":{"notes":{"command":"notes-server"},"mail":{"command":"mail-server","disabled":true}}}`)}
	get := func(path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		face.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return answer
	}
	var servers []protocol.ServerInfo
	if err := json.Unmarshal(get("/servers").Body.Bytes(), &servers); err != nil {
		t.Fatal(err)
	}
	states := map[string]protocol.ServerState{}
	for _, s := range servers {
		states[s.Name] = s.State
	}
	if len(states) != 2 || states["notes"] != protocol.ServerConfigured || states["mail"] != protocol.ServerDisabled {
		t.Errorf("got %v, want notes configured and mail disabled", states)
	}
	if answer := get("/servers?mode=none-such"); answer.Code != http.StatusBadRequest {
		t.Errorf("an unknown mode: got %d %q, want %d", answer.Code, answer.Body, http.StatusBadRequest)
	}
}

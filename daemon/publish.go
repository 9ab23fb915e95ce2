package daemon

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// publish makes what is known of the servers the next version of the
// catalogue, and tells the host what changed. A pass that changes nothing
// makes no version.
func (w *workspace) publish() {
	snapshot := w.manager.Snapshot()
	servers := w.ownServers(snapshot)
	changed := w.followStates(snapshot)
	_, published := w.catalogs.get(ownSource)
	if !published || !sameServers(w.lastOwn, servers) {
		changed = append(changed, changedServers(w.lastOwn, servers)...)
		catalog := w.catalogs.publish(router.CatalogInput{
			Source: ownSource, Servers: servers, Qualified: w.toolNames == protocol.ToolNamesQualified,
		})
		w.lastOwn = servers
		w.embeddings.setTexts()
		w.log.Debug("catalogue published", "version", catalog.Version, "tools", len(catalog.Tools))
	}
	w.known.Store(snapshot)
	modes := w.state().config.Modes
	remoded := !reflect.DeepEqual(w.lastModes, modes)
	w.lastModes = modes
	if remoded {
		changed = append(changed, serverNames(servers)...)
	}
	if len(changed) > 0 {
		w.didChange(ownSource, changed)
	}
	w.republishHosts(remoded)
}

func serverNames(servers []router.ServerInput) []string {
	names := make([]string, len(servers))
	for i, s := range servers {
		names[i] = s.Name
	}
	return names
}

// didChange tells the host of a new version.
func (w *workspace) didChange(source string, servers []string) {
	catalog, ok := w.catalogs.get(source)
	if !ok {
		return
	}
	w.news.tell()
	slices.Sort(servers)
	w.host.conn.notify(protocol.MethodCatalogDidChange, protocol.CatalogDidChangeParams{
		Version: catalog.Version, Source: source, Servers: slices.Compact(servers),
	})
}

// ownServers returns the servers of the next version. The tools of one that
// waits for the user are left out: they may not be found before. What the files
// say counts at once, also while the server itself has yet to hear of it.
func (w *workspace) ownServers(snapshot *upstream.Snapshot) []router.ServerInput {
	state := w.state()
	servers := make([]router.ServerInput, 0, len(snapshot.Servers))
	for _, s := range snapshot.Servers {
		s.Hold = cmp.Or(state.hold(s.Name), s.Hold)
		in := router.ServerInput{Name: s.Name, Policy: state.policy(s.Name), About: aboutServer(s)}
		if s.Hold != "" || !s.Available() {
			in.Unavailable = unavailableCause(s)
		}
		if s.Hold == "" || s.Hold == holdStart {
			in.Tools = rawTools(s.Tools)
		}
		servers = append(servers, in)
	}
	return servers
}

// aboutServer returns what a server says it is for: what it tells models, or
// else its title.
func aboutServer(s upstream.ServerSnapshot) string { return cmp.Or(s.Instructions, s.Info.Title) }

// unavailableCause says why a server cannot be called.
func unavailableCause(s upstream.ServerSnapshot) string {
	switch {
	case s.Hold != "" && s.Hold != holdStart:
		return s.Hold
	case s.Status.Error != "":
		return s.Status.Error
	case s.Status.State == upstream.Stopped:
		return "the server is stopped"
	case s.Status.State == upstream.Disabled:
		return "the server is disabled"
	}
	return ""
}

func rawTools(tools []upstream.Tool) []json.RawMessage {
	raw := make([]json.RawMessage, len(tools))
	for i, t := range tools {
		raw[i] = t.Raw
	}
	return raw
}

func sameServers(a, b []router.ServerInput) bool {
	return slices.EqualFunc(a, b, sameServer)
}

func sameServer(a, b router.ServerInput) bool {
	return a.Name == b.Name && a.Unavailable == b.Unavailable && a.About == b.About && reflect.DeepEqual(a.Policy, b.Policy) &&
		slices.EqualFunc(a.Tools, b.Tools, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

// changedServers names the servers that differ between two versions.
func changedServers(before, after []router.ServerInput) []string {
	old := make(map[string]router.ServerInput, len(before))
	for _, s := range before {
		old[s.Name] = s
	}
	var names []string
	for _, s := range after {
		if was, ok := old[s.Name]; !ok || !sameServer(was, s) {
			names = append(names, s.Name)
		}
		delete(old, s.Name)
	}
	for name := range old {
		names = append(names, name)
	}
	return names
}

// followStates reports the progress of starts, and names the servers whose
// state changed.
func (w *workspace) followStates(snapshot *upstream.Snapshot) []string {
	var changed []string
	next := make(map[string]upstream.State, len(snapshot.Servers))
	for _, s := range snapshot.Servers {
		state := s.Status.State
		next[s.Name] = state
		before, known := w.states[s.Name]
		if known && before == state {
			continue
		}
		changed = append(changed, s.Name)
		w.startProgress(s.Name, before, s.Status)
	}
	for name := range w.states {
		if _, still := next[name]; !still {
			changed = append(changed, name)
		}
	}
	w.states = next
	return changed
}

// startProgress tells of a server that begins or ends to start.
func (w *workspace) startProgress(name string, before upstream.State, status upstream.Status) {
	token := "server:" + name
	switch {
	case status.State == upstream.Starting:
		w.host.progress(token, protocol.ProgressValue{Kind: protocol.ProgressBegin, Title: "Starting MCP server " + name})
	case before == upstream.Starting:
		message := string(status.State)
		if status.Error != "" {
			message = status.Error
		}
		w.host.progress(token, protocol.ProgressValue{Kind: protocol.ProgressEnd, Message: message})
	}
}

// setHostServers makes a host's tools the next version of its source. Tools
// that did not change make no version.
func (w *workspace) setHostServers(source string, servers []router.ServerInput) *router.Catalog {
	w.hostMu.Lock()
	catalog, changed := w.publishHost(source, servers)
	w.hostMu.Unlock()
	if len(changed) > 0 {
		w.didChange(source, changed)
		w.stir()
	}
	return catalog
}

// publishHost publishes a host's tools under the policies in force, and names
// the servers that changed. The caller holds hostMu, so that an older list
// never follows a newer one.
func (w *workspace) publishHost(source string, servers []router.ServerInput) (*router.Catalog, []string) {
	state := w.state()
	for i := range servers {
		servers[i].Policy = state.policy(servers[i].Name).Named(servers[i].HostNames)
	}
	before := w.hostServers[source]
	if catalog, ok := w.catalogs.get(source); ok && sameServers(before, servers) {
		return catalog, nil
	}
	catalog := w.catalogs.publish(router.CatalogInput{Source: source, Servers: servers, Verbatim: true})
	w.hostServers[source] = servers
	w.embeddings.setTexts()
	return catalog, changedServers(before, servers)
}

// hostServerNames returns the names of all servers that hosts have handed over.
func (w *workspace) hostServerNames() []string {
	w.hostMu.Lock()
	defer w.hostMu.Unlock()
	var names []string
	for _, servers := range w.hostServers {
		for _, s := range servers {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// republishHosts applies a changed policy to the tools of the hosts. With
// changed modes every server may have other tools in scope.
func (w *workspace) republishHosts(remoded bool) {
	changed := map[string][]string{}
	w.hostMu.Lock()
	for source, servers := range w.hostServers {
		_, changed[source] = w.publishHost(source, slices.Clone(servers))
		if remoded {
			changed[source] = serverNames(servers)
		}
	}
	w.hostMu.Unlock()
	for _, source := range slices.Sorted(maps.Keys(changed)) {
		if servers := changed[source]; len(servers) > 0 {
			w.didChange(source, servers)
		}
	}
}

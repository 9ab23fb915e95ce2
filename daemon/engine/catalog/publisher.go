package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// Options are the inputs of catalogues and the receivers of changes.
type Options struct {
	Store *Store
	// Configuration returns the configuration in force.
	Configuration func() *workspace.Configuration
	Host          host.Host
	// Servers returns the current servers.
	Servers func() *upstream.Snapshot
	// Lock is applied to what servers say.
	Lock *toollock.Keeper
	// TextsChanged is called when a catalogue has other texts to embed.
	TextsChanged func()
	// Activity is called at a change that came from a host.
	Activity func()
	// Qualified prefixes all tool names with their server's name.
	Qualified bool
	// Taken holds the names of the host's own tools.
	Taken []string
	Log   *slog.Logger
}

// Publisher builds the catalogue of the servers that the daemon runs.
type Publisher struct {
	options Options
	changes *Changes
	hosts   *HostTools

	// known holds the servers as of the newest catalogue.
	known atomic.Pointer[upstream.Snapshot]

	// The following fields belong to the goroutine that calls Publish.
	scanner toollock.Scanner
	states  map[string]upstream.State
	lastOwn []router.ServerInput
	// lastModes holds the modes of the last version. They affect scope and are in no
	// server's own policy.
	lastModes []config.Mode
	// lastFaults holds the reported faults in the files.
	lastFaults []protocol.FileFault
	// lastConsents holds the questions for the user as of the last version.
	lastConsents []protocol.ConsentQuestion
}

// NewPublisher returns a publisher with no version published yet, the tools of hosts, and
// the changes of both.
func NewPublisher(o Options) (*Publisher, *HostTools, *Changes) {
	changes := &Changes{options: o}
	hosts := &HostTools{options: o, changes: changes, servers: map[string][]router.ServerInput{},
		published: map[string][]router.ServerInput{}, told: map[string]map[string]string{}, withOwn: map[string]bool{}, scanners: map[string]*toollock.Scanner{},
	}
	return &Publisher{options: o, changes: changes, hosts: hosts, states: map[string]upstream.State{}}, hosts, changes
}

// Known returns the servers as of the newest catalogue.
func (p *Publisher) Known() *upstream.Snapshot { return p.known.Load() }

// Publish builds the next version of the catalogue from the known servers, and notifies
// the host of what changed. If nothing changed, there is no new version.
func (p *Publisher) Publish() {
	snapshot := p.options.Servers()
	servers := p.ownServers(snapshot)
	changed := p.followStates(snapshot)
	_, published := p.options.Store.Get(protocol.OwnSource)
	if !published || !sameServers(p.lastOwn, servers) {
		changed = append(changed, changedServers(p.lastOwn, servers)...)
		catalog := p.options.Store.publish(router.CatalogInput{
			Source: protocol.OwnSource, Servers: servers, Qualified: p.options.Qualified, Taken: p.options.Taken,
		})
		p.lastOwn = servers
		p.options.TextsChanged()
		p.options.Log.Debug("catalogue published", "version", catalog.Version, "tools", len(catalog.Tools))
	}
	p.known.Store(snapshot)
	modes := p.options.Configuration().Modes
	modesChanged := !reflect.DeepEqual(p.lastModes, modes)
	p.lastModes = modes
	if modesChanged {
		changed = append(changed, serverNames(servers)...)
	}
	changed = append(changed, p.followConsents()...)
	faults := p.options.Configuration().Faults()
	faultsChanged := !slices.Equal(p.lastFaults, faults)
	p.lastFaults = faults
	if len(changed) > 0 || faultsChanged {
		p.changes.tell(protocol.OwnSource, changed)
	}
	p.hosts.setOwn(servers)
	p.hosts.republish(modesChanged)
}

func serverNames(servers []router.ServerInput) []string {
	names := make([]string, len(servers))
	for i, s := range servers {
		names[i] = s.Name
	}
	return names
}

// ownServers returns the servers of the next version. It omits the tools of a server that
// waits for the user. A change in the files applies at once, even before the server
// itself has applied it.
func (p *Publisher) ownServers(snapshot *upstream.Snapshot) []router.ServerInput {
	state := p.options.Configuration()
	servers := make([]router.ServerInput, 0, len(snapshot.Servers))
	var there []string
	for _, s := range snapshot.Servers {
		hold := holdOf(state, s)
		in := router.ServerInput{
			Name: s.Name, Policy: state.ToolPolicy(s.Name), About: s.Info.Title, Stopped: s.Status.State == upstream.Stopped,
		}
		if hold.Kind != "" || !s.Available() {
			in.Unavailable = unavailableText(hold, s)
		}
		if hold.Kind == "" || hold.Kind == string(protocol.CauseStart) {
			said := p.options.Lock.Apply(toollock.Server{
				Name: s.Name, Version: s.Info.Version, Tools: rawTools(s.Tools), Instructions: s.Instructions,
				Resources: s.Offers("resources"),
			})
			in.Tools, in.Locks = said.Tools, said.Locks
			there = append(there, s.Name)
			// About is the server's instructions to models, or else its title.
			in.About = cmp.Or(said.Instructions, in.About)
		}
		servers = append(servers, in)
	}
	p.options.addLockState(protocol.OwnSource, servers, there)
	p.scanner.Annotate(servers)
	return servers
}

// addLockState adds the lock's state to the servers of a source. there names the known
// servers.
func (o *Options) addLockState(source string, servers []router.ServerInput, there []string) {
	o.Lock.Only(source, there)
	for i := range servers {
		standing := o.Lock.Standing(source, servers[i].Name)
		servers[i].Changes, servers[i].ResourcesHeld, servers[i].Content = standing.Unanswered, standing.ResourcesHeld, standing.Content
	}
}

// holdOf returns what a server waits for, by the files, or by the server's own state if
// the files do not define it. The files come first, because the server learns only later
// that it need not wait any more.
func holdOf(c *workspace.Configuration, s upstream.ServerSnapshot) upstream.Hold {
	if _, defined := c.Server(s.Name); !defined {
		return s.Hold
	}
	hold := c.Hold(s.Name)
	return upstream.Hold{Kind: string(hold.Kind), Text: reasons.Text(hold)}
}

// unavailableText returns why a server cannot be called.
func unavailableText(hold upstream.Hold, s upstream.ServerSnapshot) string {
	switch {
	case hold.Kind != "" && hold.Kind != string(protocol.CauseStart):
		return hold.Text
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
	return a.Name == b.Name && a.Unavailable == b.Unavailable && a.Stopped == b.Stopped && a.Own == b.Own && a.About == b.About && slices.Equal(a.Warnings, b.Warnings) && maps.Equal(a.OwnNames, b.OwnNames) && reflect.DeepEqual(a.Policy, b.Policy) && reflect.DeepEqual(a.Locks, b.Locks) && a.Changes == b.Changes && a.ResourcesHeld == b.ResourcesHeld && a.Content == b.Content &&
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

// followStates reports the progress of starts, and names the servers whose state changed.
func (p *Publisher) followStates(snapshot *upstream.Snapshot) []string {
	var changed []string
	next := make(map[string]upstream.State, len(snapshot.Servers))
	for _, s := range snapshot.Servers {
		state := s.Status.State
		if state == upstream.Starting && s.Status.Error != "" {
			state = silent
		}
		next[s.Name] = state
		before, known := p.states[s.Name]
		if known && before == state {
			continue
		}
		changed = append(changed, s.Name)
		p.startProgress(s.Name, before, state, s.Status.Error)
	}
	for name := range p.states {
		if _, still := next[name]; !still {
			changed = append(changed, name)
		}
	}
	p.states = next
	return changed
}

// followConsents names the servers whose question for the user changed. Such a server
// need not be in the catalogue, because another with its name may run.
func (p *Publisher) followConsents() []string {
	consents := p.options.Configuration().Questions()
	if reflect.DeepEqual(p.lastConsents, consents) {
		return nil
	}
	var names []string
	for _, c := range slices.Concat(p.lastConsents, consents) {
		if !slices.Contains(names, c.Server) {
			names = append(names, c.Server)
		}
	}
	p.lastConsents = consents
	return names
}

// silent is the state of a starting server that does not answer. It is still waited for,
// but its progress is no longer shown.
const silent upstream.State = "not answering"

// startProgress reports that a server begins or ends to start.
func (p *Publisher) startProgress(name string, before, now upstream.State, failed string) {
	token := "server:" + name
	switch {
	case now == upstream.Starting:
		p.options.Host.Progress(protocol.ProgressParams{Token: token, Value: protocol.ProgressValue{Kind: protocol.ProgressBegin, Title: "Starting MCP server " + name}})
	case before == upstream.Starting:
		message := string(now)
		if failed != "" {
			message = failed
		}
		p.options.Host.Progress(protocol.ProgressParams{Token: token, Value: protocol.ProgressValue{Kind: protocol.ProgressEnd, Message: message}})
	}
}

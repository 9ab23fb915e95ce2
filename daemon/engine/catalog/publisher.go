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

// Options are what catalogues are made of and whom they are told to.
type Options struct {
	Store *Store
	// Configuration returns the configuration in force.
	Configuration func() *workspace.Configuration
	Host          host.Host
	// Servers returns the servers as they are now.
	Servers func() *upstream.Snapshot
	// Lock is applied to what servers say.
	Lock *toollock.Keeper
	// TextsChanged is told that a catalogue has other texts to embed.
	TextsChanged func()
	// Activity is told of a change that came from a host.
	Activity func()
	// Qualified names all tools with their server's name before it.
	Qualified bool
	// Taken are the names of the host's own tools.
	Taken []string
	Log   *slog.Logger
}

// Publisher makes the catalogue of the servers that the daemon runs.
type Publisher struct {
	options Options
	changes *Changes
	hosts   *HostTools

	// known is what the newest catalogue says of the servers.
	known atomic.Pointer[upstream.Snapshot]

	// What follows belongs to the goroutine that calls Publish.
	scanner toollock.Scanner
	states  map[string]upstream.State
	lastOwn []router.ServerInput
	// lastModes are the modes of the last version: they say which servers'
	// tools are in scope, and are in no server's own policy.
	lastModes []config.Mode
	// lastFaults are what was told to be wrong in the files.
	lastFaults []protocol.FileFault
	// lastConsents are what the user was to be asked at the last version.
	lastConsents []protocol.ConsentQuestion
}

// NewPublisher returns a publisher that has published nothing, with the tools
// of hosts and the changes of both.
func NewPublisher(o Options) (*Publisher, *HostTools, *Changes) {
	changes := &Changes{options: o}
	hosts := &HostTools{options: o, changes: changes, servers: map[string][]router.ServerInput{},
		published: map[string][]router.ServerInput{}, withOwn: map[string]bool{}, scanners: map[string]*toollock.Scanner{},
	}
	return &Publisher{options: o, changes: changes, hosts: hosts, states: map[string]upstream.State{}}, hosts, changes
}

// Known returns the servers as the newest catalogue has them.
func (p *Publisher) Known() *upstream.Snapshot { return p.known.Load() }

// Publish makes what is known of the servers the next version of the
// catalogue, and tells the host what changed. A pass that changes nothing
// makes no version.
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

// ownServers returns the servers of the next version. The tools of one that
// waits for the user are left out: they may not be found before. What the files
// say counts at once, also while the server itself is yet to be told.
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
			// What a server is for: what it tells models, or else its title.
			in.About = cmp.Or(said.Instructions, in.About)
		}
		servers = append(servers, in)
	}
	p.options.addLockState(protocol.OwnSource, servers, there)
	p.scanner.Annotate(servers)
	return servers
}

// addLockState adds what the lock says of the servers of a source; there are those of
// which something is known.
func (o *Options) addLockState(source string, servers []router.ServerInput, there []string) {
	o.Lock.Only(source, there)
	for i := range servers {
		standing := o.Lock.Standing(source, servers[i].Name)
		servers[i].Changes, servers[i].Content = standing.Unanswered, standing.Content
	}
}

// holdOf returns what a server waits for: what the files say, or what the server
// itself was told where they say nothing of it. The server hears later of what
// it need not wait for any more.
func holdOf(c *workspace.Configuration, s upstream.ServerSnapshot) upstream.Hold {
	if _, defined := c.Server(s.Name); !defined {
		return s.Hold
	}
	hold := c.Hold(s.Name)
	return upstream.Hold{Kind: string(hold.Kind), Text: reasons.Text(hold)}
}

// unavailableText says why a server cannot be called.
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
	return a.Name == b.Name && a.Unavailable == b.Unavailable && a.Stopped == b.Stopped && a.Own == b.Own && a.About == b.About && slices.Equal(a.Warnings, b.Warnings) && maps.Equal(a.OwnNames, b.OwnNames) && reflect.DeepEqual(a.Policy, b.Policy) && reflect.DeepEqual(a.Locks, b.Locks) && a.Changes == b.Changes && a.Content == b.Content &&
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

// followConsents names the servers about which the user is to be asked something
// else than before. Such a server need not be in the catalogue: another of its
// name may run.
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

// silent is the state of a server that is being started and does not answer: it is
// waited for, and no progress of it is shown any more.
const silent upstream.State = "not answering"

// startProgress tells of a server that begins or ends to start.
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

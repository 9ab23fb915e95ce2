package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/approvals"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/catalog"
	"github.com/winnow-mcp/winnow/daemon/engine/conversations"
	"github.com/winnow-mcp/winnow/daemon/engine/embeddings"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/gating"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/engine/learned"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/daemon/engine/stateless"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/telemetry"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/turns"
	"github.com/winnow-mcp/winnow/daemon/engine/vscode"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Options configure an [Engine].
type Options struct {
	// Version is told to MCP servers.
	Version string
	// Log receives what happens. Nothing that a user typed is logged above
	// debug level. nil discards.
	Log *slog.Logger
	// Kept is where things are kept that the storage path does not do for.
	Kept Kept
	// Class returns what exists for a class of users, in the place of modes; nil is
	// everything. The same pointer is the same.
	Class func(class string) (*router.Mode, error)
	// Through, which may be nil, is what requests to HTTP servers go through; see
	// [upstream.Network].
	Through func(server, url string, next http.RoundTripper) http.RoundTripper
	// Holder, which may be nil, runs the processes of servers for all daemons.
	Holder *holder.Client
	// Asleep starts no server before its first call, or before it is restarted.
	Asleep bool
	// Environ looks up the daemon's own environment; nil finds nothing.
	Environ func(name string) (string, bool)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Quiet is called when servers and files have not changed for some seconds
	// after they had: a good time to tidy up. nil does nothing.
	Quiet func()
}

// Kept are the keepers of what several engines share. What is nil is kept below
// the storage path.
type Kept struct {
	// Journal keeps the record of calls. With it no call that may write is made
	// whose intent is not kept.
	Journal   journal.Sink
	Manifests upstream.Manifests
	Locks     toollock.Records
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Environ == nil {
		o.Environ = func(string) (string, bool) { return "", false }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Quiet == nil {
		o.Quiet = func() {}
	}
	return o
}

// Engine is what a session works on. Its parts are set by [Open] and do not
// change; each is safe for concurrent use.
type Engine struct {
	Settings  *settings.Store
	Workspace *workspace.Workspace
	Modes     *workspace.Modes
	Edits     *workspace.Edits
	Imports   *workspace.Imports
	// Upstream are the servers that the daemon runs.
	Upstream *upstream.Manager
	Catalog  *catalog.Queries
	// HostTools are the tools that hosts run themselves.
	HostTools *catalog.HostTools
	Changes   *catalog.Changes

	Tasks    *tasks.Store
	Turns    *turns.Turns
	Requests *stateless.Requests
	// VSCode takes the requests of VS Code's models, and its tools.
	VSCode    *vscode.Requests
	Calls     *calls.Caller
	Loads     *calls.Loader
	Inspector *turns.Inspector

	// Locks is the user's lock on what servers offer; see [Engine.Decide].
	Locks *toollock.Keeper

	// Approvals are what the user has said yes to.
	Approvals *approvals.Book

	// Learned is what is remembered between runs.
	Learned *learned.Learned
	// Announcements are what servers announce.
	Announcements *Announcements
	// Roots say which servers the folders speak for.
	Roots *Roots
	// Offers are prompts and resources of servers.
	Offers *Offers
	// Record has the calls and what the user decided.
	Record *Record

	options    Options
	host       host.Host
	catalogs   *catalog.Store
	publisher  *catalog.Publisher
	embeddings *embeddings.Embeddings
	kept       *results.Store
	// conversations are those of stateless hosts.
	conversations *conversations.Conversations

	// settingsFile is the file of the host's settings, if they are of one; it belongs
	// to the goroutine that reconfigures.
	settingsFile settings.Text

	// inForce tells the host which settings count.
	inForce inForce

	passes  passes
	life    context.Context //nolint:containedctx // the engine's own lifetime, ended by Close
	end     context.CancelFunc
	running sync.WaitGroup
}

// Open reads the configuration and publishes what is known of its servers. It
// starts none of them before [Engine.Start], and asks the host nothing before.
// What cannot be read is told to the host and stops nothing.
func Open(o Options, h host.Host, p *protocol.InitializeParams) *Engine {
	o = o.withDefaults()
	life, end := context.WithCancel(context.Background())
	e := &Engine{
		Settings: settings.NewStore(), Announcements: &Announcements{},
		options: o, host: h, life: life, end: end, passes: newPasses(), settingsFile: settings.Text{File: p.SettingsFile, Raw: p.Settings},
	}
	e.Settings.SetWorkspaceFile(p.WorkspaceSettingsFile)
	e.tellSettings(e.settingsFile.Place(e.Settings.Apply(p.Settings, p.WorkspaceSettings)))
	network, err := networkOf(p.Network)
	e.warn(err)
	network.Through = o.Through
	client := e.httpClient(network)
	e.Record, err = openRecord(o, p.StoragePath, client)
	e.warn(err)
	e.openFiles(p)
	e.openCatalogs(p, network, client)
	e.openTasks(p)
	e.reconfigure()
	e.publisher.Publish()
	e.running.Go(e.run)
	e.running.Go(func() { e.Locks.Run(life) })
	e.running.Go(func() { e.embeddings.ReplaceKeys(life) })
	return e
}

// openFiles opens what the user's files say and what earlier runs have kept.
func (e *Engine) openFiles(p *protocol.InitializeParams) {
	var err error
	e.Workspace, err = workspace.Open(workspace.Options{
		Log: e.options.Log, Host: e.host, Settings: e.Settings, Asleep: e.options.Asleep, Environ: e.options.Environ,
		HostServers: func() []string { return e.HostTools.ServerNames() },
		HostTools:   func(server string) map[string]string { return e.HostTools.ToolNames(server) },
		Followed:    []string{approvals.Followed(p.StoragePath), p.SettingsFile},
	}, p)
	e.warn(err)
	e.Modes = workspace.NewModes(e.Workspace.Configuration, p.Mode, func() { e.Changes.ModeChanged() })
	e.Edits = workspace.NewEdits(e.Workspace, e.Settle)
	e.Imports = workspace.NewImports(e.Workspace)
	e.Learned, err = learned.Open(p.StoragePath, e.options.Log, e.options.Now)
	e.warn(err)
	e.kept, err = calls.OpenResults(p.StoragePath)
	e.warn(err)
}

// clientOf says to people who it is and where it works.
func clientOf(p *protocol.InitializeParams) string {
	if len(p.WorkspaceFolders) == 0 {
		return p.Client.Name
	}
	return p.Client.Name + " in " + p.WorkspaceFolders[0].Name
}

// openCatalogs makes the servers, and what turns them into catalogues.
func (e *Engine) openCatalogs(p *protocol.InitializeParams, network upstream.Network, client *http.Client) {
	e.Upstream = upstream.NewManager(upstream.Options{
		Logger: e.options.Log, StorageDir: p.StoragePath, Manifests: e.options.Kept.Manifests, ClientVersion: e.options.Version,
		HostEnv: serverEnv(p.Network, e.options.Environ), Network: network, Hooks: e.hooks(), Slept: e.slept, Holder: e.options.Holder, Client: clientOf(p),
		Unmasked: func() bool { return !e.Settings.Load().Results.MaskSecrets },
	})
	e.Roots = &Roots{engine: e}
	seen := e.Roots.follow(e.life, e.Roots.trusted)
	e.catalogs = catalog.NewStore(catalog.StoreOptions{Log: e.options.Log, Settings: e.Settings, Learned: e.Learned, Families: seen.Families})
	var err error
	e.Locks, err = toollock.Open(toollock.Options{
		Storage: p.StoragePath, Records: e.options.Kept.Locks, Mode: func() protocol.LockMode { return e.Settings.Load().Lock },
		Configuration: e.Workspace.Configuration, Changed: e.passes.request, Record: e.Record.locked,
		Warn: e.warn, Now: e.options.Now, Log: e.options.Log,
	})
	e.warn(err)
	e.Offers = &Offers{upstream: e.Upstream, locks: e.Locks, modes: e.Modes}
	e.publisher, e.HostTools, e.Changes = catalog.NewPublisher(catalog.Options{
		Lock: e.Locks, Store: e.catalogs, Configuration: e.Workspace.Configuration, Host: e.host, Servers: e.Upstream.Snapshot,
		TextsChanged: func() { e.embeddings.SetTexts() }, Activity: e.passes.activity,
		Qualified: p.ToolNames == protocol.ToolNamesQualified, Taken: p.BuiltInNames, Log: e.options.Log,
	})
	vectors := ""
	if p.StoragePath != "" {
		vectors = filepath.Join(p.StoragePath, "vectors")
	}
	e.embeddings = embeddings.Open(embeddings.Options{
		Catalogs: e.catalogs, Host: e.host, Fallback: e.telemetry().RankerFallback, Log: e.options.Log,
		Client: client, Dir: vectors,
	})
	e.Catalog = &catalog.Queries{
		Store: e.catalogs, Known: e.publisher.Known, Configuration: e.Workspace.Configuration,
		Mode: e.Modes.Policy, Vectors: e.embeddings.WithVector,
	}
}

// asker returns what asks the user about a call of a program; nil where there is
// nobody to ask.
func asker(user host.Host) func(context.Context, protocol.ClaimConfirmParams) (bool, error) {
	if !user.Capabilities().ClaimConfirm {
		return nil
	}
	return user.ConfirmClaim
}

// pathsOf names folders by their paths.
func pathsOf(folders []workspace.Folder) string {
	var paths []string
	for _, f := range folders {
		paths = append(paths, f.Path)
	}
	return strings.Join(paths, ", ")
}

// openTasks makes what works on tasks.
func (e *Engine) openTasks(p *protocol.InitializeParams) {
	log := e.options.Log
	e.Tasks = tasks.NewStore(e.catalogs.View)
	passes, err := calls.OpenPasses(p.StoragePath, func() string { return pathsOf(e.Workspace.Folders()) })
	e.warn(err)
	e.Calls, e.Loads = calls.NewCaller(calls.Options{
		Tasks: e.Tasks, Upstream: e.Upstream, Results: e.kept, Settings: e.Settings,
		Learned: e.Learned, Telemetry: e.telemetry(), Vectors: e.embeddings.WithVector,
		Approved: func(id router.ToolID) bool { return e.Workspace.Configuration().Approved(id) },
		Approve: func(ctx context.Context, id router.ToolID) {
			result, err := e.SetApproved(ctx, &protocol.ToolApproveParams{Server: id.Server, Tool: id.Tool, Approved: true})
			if err == nil && result.By != nil {
				err = errors.New(result.By.Text)
			}
			if err != nil && ctx.Err() == nil {
				e.warn(fmt.Errorf("tool %q of server %q is allowed in this chat only: it could not be saved that it always is: %w", id.Tool, id.Server, err))
			}
		},
		Journal: e.Record.journal, Client: p.Client.Name, Confirmed: e.Locks.Confirmed, Passes: passes, Ask: asker(e.host),
		Now: e.options.Now, Log: log,
	})
	e.conversations = openConversations(e.Tasks, log, e.options.Now, p)
	e.Turns = turns.New(turns.Options{
		Tasks: e.Tasks, Conversations: e.conversations, Calls: e.Calls, Gating: gating.New(e.Upstream, log, e.options.Now, e.offersGating), Modes: e.Modes,
		Settings: e.Settings, Class: e.options.Class, Host: e.host, Telemetry: e.telemetry(), Vectors: e.embeddings.WithVector,
		Results: e.kept, Unknown: e.Catalog.UnknownServers, Sent: e.Learned.Savings.Record, Log: log,
	})
	e.Requests = stateless.New(stateless.Options{
		Tasks: e.Tasks, Turns: e.Turns, Calls: e.Calls, Loads: e.Loads,
		Conversations: e.conversations, Modes: e.Modes, Learned: e.Learned,
		Explain: func(ctx context.Context, err error) string { return Describe(ctx, err).Sentence() },
	})
	e.VSCode = vscode.New(vscode.Options{
		Requests: e.Requests, HostTools: e.HostTools, Settings: e.Settings,
		Servers: func() []string { return e.Workspace.Configuration().ServerNames() },
		Uses:    e.Learned.Uses.Usage, Once: e.Learned.Told.Once, Tell: e.host.ShowMessage,
		Handed: calls.NewHanded(e.Record.journal, e.Settings, p.Client.Name, vscode.RareUses(e.Learned.Uses.Record)),
		Count:  e.Learned.Tokens.CountOnce,
	})
	e.Inspector = turns.NewInspector(turns.InspectorOptions{
		Tasks: e.Tasks, Conversations: e.conversations, Modes: e.Modes, Week: e.Learned.Savings.Week, Days: e.Learned.Savings.Days, Vectors: e.embeddings.WithVector,
		Source: e.VSCode.Listing,
	})
	parts := approvalParts{workspace: e.Workspace, imports: e.Imports, edits: e.Edits, tasks: e.Tasks, locks: e.Locks, settings: e.Settings, passes: passes, settle: e.Settle}
	e.Approvals, err = approvals.Open(approvals.Options{
		Storage: p.StoragePath, Now: e.options.Now, Log: log,
		Revoked: e.Record.revoked,
	}, parts.keepers())
	e.warn(err)
}

// offersGating tells the user of a server that wants to see messages.
func (e *Engine) offersGating(server string) {
	e.host.ShowMessage(protocol.ShowMessageParams{
		Type: protocol.MessageInfo, Server: server, Setting: "winnow.gating.servers",
		Message: fmt.Sprintf("MCP server %q offers to say which of its tools matter for a message, and is not asked: it would see each of your messages.", server),
		Next:    "To let it, add its name to `winnow.gating.servers`.",
	})
}

// openConversations makes the conversations of stateless hosts, kept in the
// storage path if there is one.
func openConversations(open *tasks.Store, log *slog.Logger, now func() time.Time, p *protocol.InitializeParams) *conversations.Conversations {
	o := conversations.Options{
		Log:     log,
		Chats:   p.ChatsDir,
		Now:     now,
		NewTask: func() string { return open.Add(principal.Local, tasks.NewID()).ID },
		IsOpen: func(task string) bool {
			_, err := open.Look(principal.Local, task)
			return err == nil
		},
	}
	if p.StoragePath != "" {
		o.Store = conversations.Files{Dir: filepath.Join(p.StoragePath, "conversations")}
	}
	return conversations.New(o)
}

// telemetry sends events while the setting says so.
func (e *Engine) telemetry() *telemetry.Sender {
	return telemetry.New(e.host.Telemetry, func() bool { return e.Settings.Load().Telemetry })
}

// httpClient returns a client that follows the host's network settings, or the
// environment's where those cannot be used.
func (e *Engine) httpClient(network upstream.Network) *http.Client {
	transport, err := network.HTTPTransport()
	if err != nil {
		e.warn(err)
		return &http.Client{}
	}
	return &http.Client{Transport: transport}
}

// Life ends with the engine.
func (e *Engine) Life() context.Context { return e.life }

// Start lets servers start: the host takes requests now.
func (e *Engine) Start() {
	if e.Workspace.Start() {
		e.inForce.start(e.host, e.Settings)
		e.passes.request()
	}
}

// ChangeSettings takes what the host says about settings. It counts at once;
// servers and files follow.
func (e *Engine) ChangeSettings(p *protocol.DidChangeSettingsParams) {
	e.Settings.SetWorkspaceFile(p.WorkspaceSettingsFile)
	e.tellSettings(e.Settings.Apply(p.Settings, p.WorkspaceSettings))
	e.inForce.tell(e.host, e.Settings)
	e.passes.request()
}

// ChangeFolders follows the host to other roots.
func (e *Engine) ChangeFolders(p *protocol.DidChangeFoldersParams) {
	e.warn(e.Workspace.SetFolders(p.WorkspaceFolders))
	e.passes.request()
}

// GrantTrust lets the servers of the workspace start.
func (e *Engine) GrantTrust() {
	e.Workspace.GrantTrust()
	e.passes.request()
}

// Consent keeps the user's answer about what starts, and returns when it is in
// force. It counts also when it cannot be kept.
func (e *Engine) Consent(ctx context.Context, p *protocol.ServerConsentParams) error {
	err := e.Workspace.Consent(p)
	var refusal *failure.Error
	if errors.As(err, &refusal) {
		return err
	}
	e.Record.consent(p, "user")
	return errors.Join(err, e.Settle(ctx))
}

// ConsentBySwitch allows what a person has named on the command line, before the
// session starts: see [workspace.Workspace.ConsentBySwitch].
func (e *Engine) ConsentBySwitch(files []string) error {
	if err := e.Workspace.ConsentBySwitch(files); err != nil {
		return err
	}
	for _, file := range files {
		e.Record.consent(&protocol.ServerConsentParams{File: file, Allow: true}, "flag")
	}
	return nil
}

// ShowMessage tells the user something.
func (e *Engine) ShowMessage(p protocol.ShowMessageParams) { e.host.ShowMessage(p) }

// ClearLearned forgets which tools were used lately and which had to be loaded,
// and what MCP clients were seen to do, and deletes what is kept of servers, tools and results. Open tasks keep their
// tools, and what is in memory stays there until the daemon ends; it is not
// written again.
func (e *Engine) ClearLearned() error {
	errs := []error{e.Learned.Clear(), e.Upstream.ClearManifests(), e.embeddings.ClearCache(), e.conversations.Clear()}
	if e.kept != nil {
		errs = append(errs, e.kept.Clear())
	}
	return errors.Join(errs...)
}

// tellSettings tells the user of settings that cannot be used.
func (e *Engine) tellSettings(problems []settings.Problem) {
	for _, p := range problems {
		e.host.ShowMessage(protocol.ShowMessageParams{
			Type: protocol.MessageWarning, Message: p.Message, Setting: p.Setting, Next: p.Next,
			File: p.File, Line: p.At.Line, Column: p.At.Column,
		})
	}
}

// warn tells the user of something that does not stop the session; each of
// joined errors is told alone.
func (e *Engine) warn(err error) {
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			e.warn(one)
		}
		return
	}
	e.options.Log.Warn("session degraded", "error", err)
	e.host.ShowMessage(protocol.ShowMessageParams{Type: protocol.MessageWarning, Message: err.Error()})
}

// Close stops the servers and everything else, until ctx ends.
func (e *Engine) Close(ctx context.Context) error {
	e.end()
	done := make(chan error, 2)
	kept := make(chan error, 1)
	go func() { kept <- e.conversations.Close(ctx) }()
	// The servers have to die also when run cannot end, because it is telling
	// something to a host that reads no more.
	go func() { done <- e.Upstream.Close(ctx) }()
	go func() {
		e.running.Wait()
		done <- e.Workspace.Close()
	}()
	e.save()
	errs := []error{<-done, <-done}
	if err := <-kept; err != nil {
		e.options.Log.Warn("the end of the session", "error", err) // it has ended well for all else
	}
	e.embeddings.Close()
	e.Record.close(ctx)
	if e.kept != nil {
		errs = append(errs, e.kept.Close())
	}
	return errors.Join(errs...)
}

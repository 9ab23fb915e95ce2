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

// Options configures an [Engine].
type Options struct {
	// Version is sent to MCP servers.
	Version string
	// Log receives events. User input is logged at debug level only. Nil discards all.
	Log *slog.Logger
	// Kept holds stores that replace the storage path.
	Kept Kept
	// Class returns what exists for a class of users, in place of modes; nil means
	// everything. Equal pointers mean equal classes.
	Class func(class string) (*router.Mode, error)
	// Through, if not nil, wraps the requests to HTTP servers; see [upstream.Network].
	Through func(server, url string, next http.RoundTripper) http.RoundTripper
	// Called, if not nil, is called before each call of a server's tool. It returns the
	// call to make, its context, and a function that gets the outcome.
	Called func(ctx context.Context, r upstream.CallRequest) (context.Context, upstream.CallRequest, func(*upstream.Result, error))
	// Holder, if not nil, runs the server processes for all daemons.
	Holder *holder.Client
	// Asleep delays the start of every server until its first call or a restart.
	Asleep bool
	// Environ looks up the daemon's environment; if nil, it is empty.
	Environ func(name string) (string, bool)
	// Now returns the time; nil means time.Now.
	Now func() time.Time
	// Quiet, if not nil, is called once servers and files have not changed for some
	// seconds after a change, as a time for cleanup.
	Quiet func()
}

// Kept holds the stores that several engines share. The storage path replaces nil ones.
type Kept struct {
	// Journal stores the record of calls. With it, a call that may write is made only if
	// its intent is stored, and the record is not sent to OpenTelemetry.
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

// Engine is what a session works on. [Open] sets its parts, which do not change; each is
// safe for concurrent use.
type Engine struct {
	Settings  *settings.Store
	Workspace *workspace.Workspace
	Modes     *workspace.Modes
	Edits     *workspace.Edits
	Imports   *workspace.Imports
	// Upstream manages the servers that the daemon runs.
	Upstream *upstream.Manager
	Catalog  *catalog.Queries
	// HostTools holds the tools that hosts run themselves.
	HostTools *catalog.HostTools
	Changes   *catalog.Changes

	Tasks    *tasks.Store
	Turns    *turns.Turns
	Requests *stateless.Requests
	// VSCode handles the requests of VS Code's models, and its tools.
	VSCode    *vscode.Requests
	Calls     *calls.Caller
	Loads     *calls.Loader
	Inspector *turns.Inspector

	// Locks is the user's lock on what servers offer. Decisions go through
	// [Engine.ApproveLocked], [Engine.KeepLocked] and [Engine.UndoLocked], which return
	// when they are in force.
	Locks *toollock.Keeper

	// Approvals holds the user's approvals.
	Approvals *approvals.Book

	// Learned is what is stored between runs.
	Learned *learned.Learned
	// Announcements distributes the servers' announcements.
	Announcements *Announcements
	// Roots determines which servers the folders suggest.
	Roots *Roots
	// Offers holds prompts and resources of servers.
	Offers *Offers
	// Record holds the calls and the user's decisions.
	Record *Record

	options    Options
	host       host.Host
	catalogs   *catalog.Store
	publisher  *catalog.Publisher
	embeddings *embeddings.Embeddings
	kept       *results.Store
	// conversations holds those of stateless hosts.
	conversations *conversations.Conversations

	// settingsFile is the file of the host's settings, if any. It belongs to the
	// goroutine that reconfigures.
	settingsFile settings.Text

	// inForce notifies the host of the settings in force.
	inForce inForce

	passes  passes
	life    context.Context //nolint:containedctx // the engine's own lifetime, ended by Close
	end     context.CancelFunc
	running sync.WaitGroup
}

// Open reads the configuration and publishes what is known of its servers. It starts no
// server and asks the host nothing before [Engine.Start]. It reports what cannot be read
// to the host and continues.
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
	e.running.Go(func() { e.catalogs.Run(life) })
	e.running.Go(func() { e.embeddings.ReplaceKeys(life) })
	return e
}

// openFiles opens the user's files and the storage of earlier runs.
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

// clientOf describes the client and its folder for display.
func clientOf(p *protocol.InitializeParams) string {
	if len(p.WorkspaceFolders) == 0 {
		return p.Client.Name
	}
	return p.Client.Name + " in " + p.WorkspaceFolders[0].Name
}

// openCatalogs creates the servers and the publisher of their catalogues.
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

// asker returns the function that asks the user about a call of a program, or nil if the
// user cannot be asked.
func asker(user host.Host) func(context.Context, protocol.ClaimConfirmParams) (bool, error) {
	if !user.Capabilities().ClaimConfirm {
		return nil
	}
	return user.ConfirmClaim
}

// pathsOf joins the paths of folders.
func pathsOf(folders []workspace.Folder) string {
	var paths []string
	for _, f := range folders {
		paths = append(paths, f.Path)
	}
	return strings.Join(paths, ", ")
}

// watchedCalls calls [Options.Called] before each call.
type watchedCalls struct {
	calls.Upstream

	options Options
}

// Call implements [calls.Upstream].
func (w watchedCalls) Call(ctx context.Context, r upstream.CallRequest) (*upstream.Result, error) {
	ctx, r, end := w.options.Called(ctx, r)
	result, err := w.Upstream.Call(ctx, r)
	end(result, err)
	return result, err
}

// watched returns what calls the tools of servers.
func watched(next calls.Upstream, o Options) calls.Upstream {
	if o.Called == nil {
		return next
	}
	return watchedCalls{next, o}
}

// openTasks creates the parts that work on tasks.
func (e *Engine) openTasks(p *protocol.InitializeParams) {
	log := e.options.Log
	e.Tasks = tasks.NewStore(e.catalogs.View)
	passes, err := calls.OpenPasses(p.StoragePath, func() string { return pathsOf(e.Workspace.Folders()) })
	e.warn(err)
	e.Calls, e.Loads = calls.NewCaller(calls.Options{
		Tasks: e.Tasks, Upstream: watched(e.Upstream, e.options), Results: e.kept, Settings: e.Settings,
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

// offersGating notifies the user of a server that wants to see messages.
func (e *Engine) offersGating(server string) {
	e.host.ShowMessage(protocol.ShowMessageParams{
		Type: protocol.MessageInfo, Server: server, Setting: "winnow.gating.servers",
		Message: fmt.Sprintf("MCP server %q offers to say which of its tools matter for a message, and is not asked: it would see each of your messages.", server),
		Next:    "To let it, add its name to `winnow.gating.servers`.",
	})
}

// openConversations creates the conversations of stateless hosts, stored in the storage
// path if there is one.
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

// telemetry returns a sender that follows the setting.
func (e *Engine) telemetry() *telemetry.Sender {
	return telemetry.New(e.host.Telemetry, func() bool { return e.Settings.Load().Telemetry })
}

// httpClient returns a client with the host's network settings, or the environment's if
// those cannot be used.
func (e *Engine) httpClient(network upstream.Network) *http.Client {
	transport, err := network.HTTPTransport()
	if err != nil {
		e.warn(err)
		return &http.Client{}
	}
	return &http.Client{Transport: transport}
}

// Life returns a context that ends with the engine.
func (e *Engine) Life() context.Context { return e.life }

// Start lets servers start. Call it once the host handles requests.
func (e *Engine) Start() {
	if e.Workspace.Start() {
		e.inForce.start(e.host, e.Settings)
		e.passes.request()
	}
}

// ChangeSettings applies the host's settings. They take effect at once; servers and files
// follow.
func (e *Engine) ChangeSettings(p *protocol.DidChangeSettingsParams) {
	e.Settings.SetWorkspaceFile(p.WorkspaceSettingsFile)
	e.tellSettings(e.Settings.Apply(p.Settings, p.WorkspaceSettings))
	e.inForce.tell(e.host, e.Settings)
	e.passes.request()
}

// ChangeFolders switches to the host's new folders.
func (e *Engine) ChangeFolders(p *protocol.DidChangeFoldersParams) {
	e.warn(e.Workspace.SetFolders(p.WorkspaceFolders))
	e.passes.request()
}

// GrantTrust lets the servers of the workspace start.
func (e *Engine) GrantTrust() {
	e.Workspace.GrantTrust()
	e.passes.request()
}

// Consent stores the user's answer about what starts, and returns once it is in force. It
// applies even if it cannot be stored.
func (e *Engine) Consent(ctx context.Context, p *protocol.ServerConsentParams) error {
	err := e.Workspace.Consent(p)
	var refusal *failure.Error
	if errors.As(err, &refusal) {
		return err
	}
	e.Record.consent(p, "user")
	return errors.Join(err, e.Settle(ctx))
}

// ConsentBySwitch allows what a person named on the command line, before the session
// starts; see [workspace.Workspace.ConsentBySwitch].
func (e *Engine) ConsentBySwitch(files []string) error {
	if err := e.Workspace.ConsentBySwitch(files); err != nil {
		return err
	}
	for _, file := range files {
		e.Record.consent(&protocol.ServerConsentParams{File: file, Allow: true}, "flag")
	}
	return nil
}

// ShowMessage shows the user a message.
func (e *Engine) ShowMessage(p protocol.ShowMessageParams) { e.host.ShowMessage(p) }

// ClearLearned deletes the record of used and loaded tools and of MCP clients' behaviour,
// and the stored data of servers, tools and results. Open tasks keep their tools. What is
// in memory remains until the daemon ends and is not written again.
func (e *Engine) ClearLearned() error {
	errs := []error{e.Learned.Clear(), e.Upstream.ClearManifests(), e.embeddings.ClearCache(), e.conversations.Clear()}
	if e.kept != nil {
		errs = append(errs, e.kept.Clear())
	}
	return errors.Join(errs...)
}

// tellSettings notifies the user of settings that cannot be used.
func (e *Engine) tellSettings(problems []settings.Problem) {
	for _, p := range problems {
		e.host.ShowMessage(protocol.ShowMessageParams{
			Type: protocol.MessageWarning, Message: p.Message, Setting: p.Setting, Next: p.Next,
			File: p.File, Line: p.At.Line, Column: p.At.Column,
		})
	}
}

// warn notifies the user of an error that does not stop the session; each joined error
// separately.
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

// Close stops the servers and all goroutines, or gives up when ctx ends.
func (e *Engine) Close(ctx context.Context) error {
	e.end()
	done := make(chan error, 2)
	kept := make(chan error, 1)
	go func() { kept <- e.conversations.Close(ctx) }()
	// The servers must be stopped even if run cannot end because the host no longer
	// reads.
	go func() { done <- e.Upstream.Close(ctx) }()
	go func() {
		e.running.Wait()
		done <- e.Workspace.Close()
	}()
	e.save()
	errs := []error{<-done, <-done}
	if err := <-kept; err != nil {
		e.options.Log.Warn("the end of the session", "error", err) // everything else has ended
	}
	e.embeddings.Close()
	e.Record.close(ctx)
	if e.kept != nil {
		errs = append(errs, e.kept.Close())
	}
	return errors.Join(errs...)
}

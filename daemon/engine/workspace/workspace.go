package workspace

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// Options configures a [Workspace].
type Options struct {
	Log      *slog.Logger
	Host     host.Host
	Settings *settings.Store
	// Asleep delays the start of every server until its first call or a restart.
	Asleep bool
	// Environ looks up the daemon's environment.
	Environ func(name string) (string, bool)
	// HostServers returns the names of the servers whose tools hosts have handed over.
	// HostTools maps a server's names of its tools to the hosts' names.
	HostServers func() []string
	HostTools   func(server string) map[string]string
	// Followed holds further files that [Workspace.Changed] reports; "" is ignored.
	Followed []string
}

// Workspace reads the files of a user and a workspace, and combines them with the user's
// answers. One goroutine must call Reconfigure and Follow; all else is safe for
// concurrent use.
type Workspace struct {
	options  Options
	places   places
	files    *config.Watcher
	consents *config.Consents

	trusted atomic.Bool
	started atomic.Bool
	folders atomic.Pointer[[]Folder]
	current atomic.Pointer[Configuration]

	// followed holds the folders whose files are read. It belongs to the goroutine that
	// calls Follow and Reconfigure.
	followed []Folder
	// followedToo holds files that do not define servers.
	followedToo []config.Source
	// reported holds the problems that the user has been shown. It belongs to the
	// goroutine that calls Reconfigure.
	reported map[config.Problem]bool
	// hostServers holds the host's servers as of the last Reconfigure. It belongs to that
	// goroutine too.
	hostServers []string
}

// Open finds the files and reads them. Nothing is in force before Reconfigure. The error
// says what could not be read; the workspace is usable nevertheless.
func Open(o Options, p *protocol.InitializeParams) (*Workspace, error) {
	w := &Workspace{options: o, places: placesOf(p), reported: map[config.Problem]bool{}}
	w.trusted.Store(p.Trusted)
	folders, problems := localFolders(p.WorkspaceFolders)
	w.folders.Store(&folders)
	w.followed = folders
	kept := cmp.Or(w.places.userDir, p.StoragePath)
	if p.StoragePath == "" {
		kept = "" // nothing is stored
	}
	consents, err := config.OpenConsents(kept)
	w.consents = consents
	if err == nil {
		var first bool
		if first, err = consents.TakeOver(p.StoragePath); first {
			o.Host.ShowMessage(changedDefaults())
		}
	}
	for _, path := range append(o.Followed, consents.Path()) {
		if path != "" {
			w.followedToo = append(w.followedToo, config.Source{Path: path, Dialect: config.Followed, Scope: config.User})
		}
	}
	w.files = config.NewWatcher(w.sourcesIn(folders), config.WatchOptions{Log: o.Log})
	return w, errors.Join(append(problems, err)...)
}

// changedDefaults is shown once to users with answers from an earlier version.
func changedDefaults() protocol.ShowMessageParams {
	return protocol.ShowMessageParams{
		Type: protocol.MessageInfo,
		Message: "What you had agreed to is taken over. Different now: a redirect to another server is asked about; " +
			"what a server you know adds waits for you where it is named like another tool or its words are flagged; " +
			"a file of a workspace or of another client may tighten your rules, and loosens them only after you have agreed.",
		Next: "“Show What You Allowed” lists every yes, and takes it back.",
	}
}

// Configuration returns the configuration in force.
func (w *Workspace) Configuration() *Configuration { return w.current.Load() }

// UserDir returns the user's folder for Winnow, or "" if there is none.
func (w *Workspace) UserDir() string { return w.places.userDir }

// Home returns the user's home folder, or "" on a machine without one.
func (w *Workspace) Home() string { return w.places.home }

// Files returns the files that were read, in order of precedence. A missing file is
// empty.
func (w *Workspace) Files() []config.File { return w.files.Files() }

// SettingsOf returns the settings in Winnow's own files: the user's, and those of a
// trusted workspace, strongest first.
func SettingsOf(w *Workspace) (user, workspace []settings.Text) {
	for _, f := range w.files.Files() {
		said := settings.Text{File: f.Source.Path, Raw: f.Settings}
		switch {
		case f.Settings == nil:
		case f.Source.Scope == config.User:
			user = append(user, said)
		case w.trusted.Load():
			workspace = append(workspace, said)
		}
	}
	return user, workspace
}

// LeftToVSCode reads the files whose servers VS Code runs itself. They are not among
// [Workspace.Files] and have no effect.
func (w *Workspace) LeftToVSCode() []config.File {
	if w.options.Settings.Load().Servers.FromVSCode {
		return nil
	}
	o := w.places.options(w.options.Environ, w.Folders())
	o.FromVSCode = true
	var files []config.File
	for _, source := range config.Sources(o) {
		if source.Dialect != config.VSCode {
			continue
		}
		if data, err := config.ReadFile(source.Path); err == nil {
			files = append(files, config.Parse(source, data))
		}
	}
	return files
}

// Changed returns a channel that receives when the files have changed.
func (w *Workspace) Changed() <-chan struct{} { return w.files.Changed() }

// Start lets servers start with the next Reconfigure, once the host handles requests. It
// reports whether this is the first call.
func (w *Workspace) Start() (first bool) { return w.started.CompareAndSwap(false, true) }

// GrantTrust lets the servers of the workspace start with the next Reconfigure.
func (w *Workspace) GrantTrust() { w.trusted.Store(true) }

// SetFolders switches to the host's new roots, with the next Follow. The error names
// those that are skipped.
func (w *Workspace) SetFolders(folders []protocol.WorkspaceFolder) error {
	local, problems := localFolders(folders)
	w.folders.Store(&local)
	return errors.Join(problems...)
}

// Folders returns the roots.
func (w *Workspace) Folders() []Folder { return *w.folders.Load() }

// NameOf returns a file's name for display: its path in its folder, with the folder's
// name if there are several, or its whole path.
func (w *Workspace) NameOf(path string) string {
	folders := w.Folders()
	for _, f := range folders {
		inside, err := filepath.Rel(f.Path, path)
		if err != nil || !filepath.IsLocal(inside) {
			continue
		}
		if len(folders) > 1 {
			inside = filepath.Join(f.Name, inside)
		}
		return filepath.ToSlash(inside)
	}
	return path
}

// Follow watches the files that the folders and the settings require.
func (w *Workspace) Follow(ctx context.Context) {
	folders := w.Folders()
	if err := w.files.SetSources(ctx, w.sourcesIn(folders)); err != nil {
		w.options.Log.Debug("files not followed", "error", err)
		return
	}
	w.followed = folders
}

// Close stops watching.
func (w *Workspace) Close() error { return w.files.Close() }

// Reconfigure applies the current content of the files, and returns the servers to run.
// It shows new problems to the user.
func (w *Workspace) Reconfigure() []upstream.Config {
	w.consents.Refresh()
	files, asking := w.files.Files(), w.asking()
	asking.settle(files)
	merged := config.Merge(files, config.MergeOptions{
		Trusted: w.trusted.Load(), Consent: asking.consent, Rules: w.consents.Rules,
	})
	next := &Configuration{
		Config: merged, policies: policies(merged, w.Configuration()), holds: map[string]protocol.Cause{},
		questions: asking.questions(merged), locked: map[string]Locked{}, unset: map[string][]string{}, places: map[string]int{},
	}
	if w.trusted.Load() {
		for _, f := range w.Folders() {
			next.Trusted = append(next.Trusted, f.Path)
		}
	}
	locks, unread := locksOf(files, w.trusted.Load())
	problems := append(slices.Clone(merged.Problems), unread...)
	for i, s := range merged.Servers {
		next.places[s.Name] = i
		next.locked[s.Name] = lockedOf(&merged.Servers[i], locks)
		server, hold, expanded := w.definition(s, asking.lookup)
		next.run = append(next.run, server)
		if hold.Kind != "" {
			next.holds[s.Name] = hold
		}
		problems = append(problems, expanded.Problems...)
		if len(expanded.Unset) > 0 {
			next.unset[s.Name] = expanded.Unset
		}
	}
	w.hostServers = w.options.HostServers()
	if names := w.hostServers; len(names) > 0 || !w.options.Host.Capabilities().HostTools {
		// Before the host's tools are known, an entry for one of its servers looks like a
		// spelling error.
		problems = append(problems, merged.UnmatchedPolicies(names)...)
		problems = append(problems, merged.MisspelledModes(names)...)
	}
	next.faults = faultsOf(problems)
	w.current.Store(next)
	w.report(problems)
	return next.run
}

// HostServersChanged reports whether hosts have other servers than at the last
// Reconfigure, because rules may name a new one.
func (w *Workspace) HostServersChanged() bool {
	return !slices.Equal(w.hostServers, w.options.HostServers())
}

// report shows the user the problems that are new since the last pass, unless the host
// shows them itself.
func (w *Workspace) report(problems []config.Problem) {
	if w.options.Host.Capabilities().Faults {
		return
	}
	current := make(map[config.Problem]bool, len(problems))
	for _, p := range problems {
		current[p] = true
		if w.reported[p] {
			continue
		}
		kind := protocol.MessageWarning
		if p.Severity == config.Error {
			kind = protocol.MessageError
		}
		w.options.Host.ShowMessage(protocol.ShowMessageParams{
			Type: kind, Message: p.Message, Server: p.Server, Next: p.Hint,
			File: p.Path, Line: p.Line, Column: p.Column,
		})
	}
	w.reported = current
}

// sourcesIn lists the files to read.
func (w *Workspace) sourcesIn(folders []Folder) []config.Source {
	o := w.places.options(w.options.Environ, folders)
	o.FromVSCode = w.options.Settings.Load().Servers.FromVSCode
	return append(config.Sources(o), w.followedToo...)
}

package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/config/imports"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
)

// question is an entry that waits for the user's consent, or was declined.
type question struct {
	config.Waiting
	// start is the zero value if only the rules are in question.
	start config.Start
	rules config.Rules
	// before holds the parts that were allowed; nil if none were.
	before []config.Part
	// byFile reports that an earlier version allowed its whole file.
	byFile bool
}

// asking determines what entries start and the user's answers, during one pass. It reads
// each file and looks for each program once, so that what is asked about is what is
// started.
type asking struct {
	workspace *Workspace
	lookup    config.Lookup
	starts    map[config.Origin]config.Start
}

func (w *Workspace) asking() *asking {
	return &asking{workspace: w, lookup: w.lookup(), starts: map[config.Origin]config.Start{}}
}

// start returns what an entry starts. It is computed once per entry.
func (a *asking) start(e config.Entry) config.Start {
	start, known := a.starts[e.Origin]
	if !known {
		start = config.StartOf(e, a.lookup)
		a.starts[e.Origin] = start
	}
	return start
}

func (a *asking) consent(e config.Entry) config.Consent {
	return a.workspace.consents.Get(e, a.start(e))
}

// approval returns a consent to all that an entry says now.
func (a *asking) approval(e config.Entry) config.Approval {
	approved := config.Approval{Entry: e, Rules: config.RulesOf(e)}
	if e.DefinesServer() {
		approved.Start = a.start(e)
	}
	return approved
}

// settle accepts Winnow's own files of folders that are trusted for the first time,
// because the user trusts their content.
func (a *asking) settle(files []config.File) {
	w := a.workspace
	var answered []config.Approval
	for _, f := range files {
		for _, e := range f.Entries {
			source := e.Origin.Source
			if e.Invalid == nil && source.NeedsConsent() && (source.Scope == config.User || w.trusted.Load()) {
				answered = append(answered, a.approval(e))
			}
		}
	}
	a.kept(w.consents.Upgrade(answered))
	if !w.trusted.Load() {
		return
	}
	for _, folder := range w.followed {
		own := slices.IndexFunc(files, func(f config.File) bool {
			return f.Source.OfWorkspacesOwn() && f.Source.Folder == folder.Path
		})
		switch {
		case w.consents.Settled(folder.Path):
		case own < 0:
			a.kept(w.consents.Settle(folder.Path))
		case !files[own].Broken: // else its content is not known yet
			a.kept(w.consents.Settle(folder.Path, a.unasked(files[own], files)...))
		}
	}
}

// unasked returns the entries of a file that define a server and are not allowed as they
// are. It includes their rules, except for servers that the user's own file also
// mentions.
func (a *asking) unasked(f config.File, all []config.File) []config.Approval {
	var approvals []config.Approval
	for _, e := range f.Entries {
		if !e.DefinesServer() || e.Invalid != nil {
			continue
		}
		approved := a.approval(e)
		if slices.ContainsFunc(all, func(other config.File) bool { return !other.Source.NeedsConsent() && other.Names(e.Name) }) {
			approved.Rules = config.Rules{}
		}
		rules := approved.Rules.Hash == "" || a.workspace.consents.Rules(e) == config.Allowed
		if a.consent(e) != config.Allowed || !rules {
			approvals = append(approvals, approved)
		}
	}
	return approvals
}

// allow allows what the entries of a file start.
func (a *asking) allow(f config.File) {
	w := a.workspace
	a.kept(w.consents.Allow(a.unasked(f, w.files.Files())...))
}

// kept logs that an answer applies to this session only.
func (a *asking) kept(err error) {
	if err != nil {
		a.workspace.options.Log.Warn("the consent holds for this session only", "error", err)
	}
}

// questions returns the questions of a configuration. It asks none about rules for an
// unknown server.
func (a *asking) questions(c config.Config) []question {
	hosts := a.workspace.options.HostServers()
	var questions []question
	for _, waiting := range c.Waiting {
		if _, ok := c.Server(waiting.Name); !ok && !slices.Contains(hosts, waiting.Name) {
			continue
		}
		q := question{Waiting: waiting, rules: config.RulesOf(waiting.Entry)}
		if !waiting.Rules {
			q.start = a.start(waiting.Entry)
		}
		if waiting.Hold == config.HoldChanged {
			started, ruled := a.workspace.consents.Before(waiting.Entry)
			if q.before = ruled; !waiting.Rules {
				q.before = append(slices.Clip(started), ruled...)
			}
		}
		q.byFile = a.workspace.consents.AllowedByFile(waiting.Entry)
		questions = append(questions, q)
	}
	return questions
}

// whole returns all that the question is about.
func (q *question) whole() config.Start { return config.Whole(q.start, q.rules) }

// Questions lists what waits for the user's consent, and what was declined.
func (c *Configuration) Questions() []protocol.ConsentQuestion {
	list := make([]protocol.ConsentQuestion, len(c.questions))
	for i, q := range c.questions {
		whole := q.whole()
		list[i] = protocol.ConsentQuestion{
			Server: q.Name, File: q.Origin.Source.Path, Line: q.Origin.Line, Hash: whole.Hash, Starts: q.start.Line(), OnlyRules: q.Rules,
			OwnFile: q.Origin.Source.OfWorkspacesOwn(), AllowedByFile: q.byFile,
			Declined: q.Hold == config.HoldDeclined, Changed: q.Hold == config.HoldChanged,
		}
		for _, p := range whole.Parts {
			list[i].Parts = append(list[i].Parts, protocol.ConsentPart{Key: p.Key, Text: p.Text})
		}
		for _, p := range q.rules.Parts {
			list[i].Rules = append(list[i].Rules, protocol.ConsentPart{Key: p.Key, Text: p.Text})
		}
		defined, ok := c.Server(q.Name)
		list[i].Instead = ok && defined.Origin != q.Origin && !q.Rules
		if q.Hold != config.HoldChanged {
			continue
		}
		for _, change := range whole.ChangesSince(q.before) {
			list[i].Changes = append(list[i].Changes, protocol.ConsentChange{Key: change.Key, Before: change.Before, After: change.After})
		}
	}
	return list
}

// Questions lists those of the configuration in force.
func (w *Workspace) Questions() []protocol.ConsentQuestion { return w.Configuration().Questions() }

// Consent stores the user's answer about one or all servers of a file. It takes effect at
// the next Reconfigure, even if it cannot be stored.
func (w *Workspace) Consent(p *protocol.ServerConsentParams) error {
	file, ok := fileAt(w.Files(), p.File)
	if !ok {
		return failure.New(protocol.KindInvalidParams, "Use the path of a file that servers are read from.",
			"Winnow reads no servers from %s", p.File).InFile(p.File)
	}
	if p.Server == "" {
		return w.consentToFile(file, p.Allow)
	}
	i := slices.IndexFunc(file.Entries, func(e config.Entry) bool { return e.Name == p.Server && e.Invalid == nil })
	if i < 0 {
		return failure.New(protocol.KindUnknownServer, "Check the name in that file.",
			"there is no server %q in %s", p.Server, p.File).OfServer(p.Server).InFile(p.File)
	}
	e := file.Entries[i]
	a := w.asking()
	approved := a.approval(e)
	onlyRules := config.Whole(config.Start{}, approved.Rules)
	if p.Hash != "" && p.Hash == onlyRules.Hash && e.DefinesServer() && a.consent(e) == config.Allowed {
		approved.Start = config.Start{} // what it starts was not asked about
	}
	switch whole := config.Whole(approved.Start, approved.Rules); {
	case p.Hash != "" && p.Hash != whole.Hash:
		return failure.New(protocol.KindContentModified, "Look at what it says now, and answer again.",
			"server %q in %s has changed since you were asked", p.Server, p.File).OfServer(p.Server).InFile(p.File)
	case !p.Allow && approved.Start.Hash == "" && e.DefinesServer():
		return w.consents.Refuse(e)
	case !p.Allow:
		return w.consents.Deny(e)
	}
	return w.consents.Allow(approved)
}

// consentToFile allows what all servers of a file start now, or denies all that they will
// ever start.
func (w *Workspace) consentToFile(f config.File, allow bool) error {
	path := f.Source.Path
	if !allow {
		return w.consents.DenyFile(path, f.Entries)
	}
	a := w.asking()
	var approved []config.Approval
	for _, e := range f.Entries {
		if e.Invalid == nil {
			approved = append(approved, a.approval(e))
		}
	}
	return errors.Join(w.consents.AllowFile(path), w.consents.Allow(approved...))
}

// consentToMoved allows what a move that the user has confirmed writes into Winnow's own
// file of a workspace.
func (w *Workspace) consentToMoved(plan imports.Plan) {
	sources := w.sourcesIn(w.Folders())
	i := slices.IndexFunc(sources, func(s config.Source) bool { return s.OfWorkspacesOwn() && s.Path == plan.Target.Path })
	if i < 0 || plan.Target.After == nil {
		return
	}
	moved := config.Parse(sources[i], []byte(*plan.Target.After))
	moved.Entries = slices.DeleteFunc(moved.Entries, func(e config.Entry) bool {
		return !slices.Contains(movedNames(plan), e.Name)
	})
	w.asking().allow(moved)
}

// consentToEdit allows what an edit that the user has just made through Winnow grants, if
// all that the entry granted before was allowed.
func (a *asking) consentToEdit(source config.Source, server string, made config.Change) {
	entry := func(text []byte) (config.Entry, bool) {
		file := config.Parse(source, text)
		i := slices.IndexFunc(file.Entries, func(e config.Entry) bool { return e.Name == server && e.Invalid == nil })
		if i < 0 {
			return config.Entry{}, false
		}
		return file.Entries[i], true
	}
	w := a.workspace
	before, was := entry(made.Before)
	after, is := entry(made.After)
	switch {
	case !is, was && w.consents.Rules(before) != config.Allowed:
		return
	case after.DefinesServer() && source.NeedsConsent() && a.consent(after) != config.Allowed:
		return
	}
	if rules := config.RulesOf(after); rules.Hash != "" {
		a.kept(w.consents.Allow(config.Approval{Entry: after, Rules: rules}))
	}
}

// fileAt returns the combined content of the sources of a path.
func fileAt(files []config.File, path string) (config.File, bool) {
	var all config.File
	found := false
	for _, f := range files {
		if f.Source.Path == filepath.Clean(path) {
			all.Source = f.Source
			all.Entries = append(all.Entries, f.Entries...)
			found = true
		}
	}
	return all, found
}

// ConsentBySwitch allows what a person has named on the command line: in a trusted
// workspace all that its own Winnow files start now, and the servers of the given files
// of other clients. It returns an error for a file that does not exist or is not read for
// servers.
func (w *Workspace) ConsentBySwitch(files []string) error {
	a := w.asking()
	if w.trusted.Load() {
		for _, f := range w.files.Files() {
			if f.Source.OfWorkspacesOwn() {
				a.allow(f)
			}
		}
	}
	var errs []error
	for _, path := range files {
		f, ok := fileAt(w.Files(), path)
		if ok {
			a.kept(w.consentToFile(f, true))
			continue
		}
		if _, err := os.Stat(path); err != nil {
			errs = append(errs, fmt.Errorf("-consent: %w", err))
			continue
		}
		errs = append(errs, fmt.Errorf("-consent: Winnow reads no servers from %s; it reads %s", path, ofOthers(w.Files())))
	}
	return errors.Join(errs...)
}

// ofOthers lists the existing files of other clients.
func ofOthers(files []config.File) string {
	var paths []string
	for _, f := range files {
		if f.Source.Dialect != config.Winnow && !slices.Contains(paths, f.Source.Path) {
			paths = append(paths, f.Source.Path)
		}
	}
	if len(paths) == 0 {
		return "none of other clients here"
	}
	return fmt.Sprintf("%q", paths)
}

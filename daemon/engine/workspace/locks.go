package workspace

import (
	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
)

// Locked is the files' data of a server for the lock on tools.
type Locked struct {
	// Folder is the workspace folder whose files define the server; empty for the user's
	// own files.
	Folder string
	Origin lock.Origin
	// Listed is the server in the lock file of that folder; nil if there is no file, or
	// it does not list the server.
	Listed *lock.Server
}

// Locked returns the files' data of a server for the lock on tools.
func (c *Configuration) Locked(name string) Locked { return c.locked[name] }

// lockedOf returns the files' data of a server for the lock on tools. Lock files apply
// only to servers of their own folder, so no workspace can list tools of the user's own
// servers.
func lockedOf(s *config.Server, locks map[string]map[string]*lock.Server) Locked {
	d := &s.Definition
	l := Locked{Origin: lock.Origin{
		Package: lock.PackageOf(d.Command, d.Args), Definition: lock.DefinitionHash(d.Command, d.Args, d.URL),
	}}
	if s.Origin.Source.Scope != config.Workspace {
		return l
	}
	l.Folder = s.Origin.Source.Folder
	l.Listed = locks[l.Folder][s.Name]
	return l
}

// locksOf reads the lock files. An unreadable file, or one of an untrusted workspace,
// lists nothing and is among the problems.
func locksOf(files []config.File, trusted bool) (locks map[string]map[string]*lock.Server, problems []config.Problem) {
	locks = map[string]map[string]*lock.Server{}
	for i := range files {
		f := &files[i]
		if f.Source.Dialect != config.Lock || f.Text == nil || !trusted {
			continue
		}
		file, err := lock.DecodeFile(f.Text)
		if err != nil {
			problems = append(problems, config.Problem{
				Path: f.Source.Path, Severity: config.Error, Message: "the lock on tools is damaged, and lists nothing: " + err.Error(),
				Hint: "take it from the last commit, or resolve its merge conflict; `winnowd verify` tells what differs",
			})
			continue
		}
		listed := map[string]*lock.Server{}
		for name, server := range file.Servers {
			listed[name] = &server
		}
		locks[f.Source.Folder] = listed
	}
	return locks, problems
}

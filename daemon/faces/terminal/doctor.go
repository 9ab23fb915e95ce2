package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/protocol"
)

// ErrProblems is returned by [Doctor] if it has reported a problem.
var ErrProblems = errors.New("something is wrong")

// doctorReport is the output of `winnowd doctor -json`.
type doctorReport struct {
	Version  string `json:"version"`
	Platform string `json:"platform"`
	Storage  string `json:"storage"`
	// Running: a daemon of the workspace runs that `winnowd mcp` joins.
	Running bool          `json:"running"`
	Trusted bool          `json:"trusted"`
	Files   []fileReport  `json:"files"`
	Servers []serverCheck `json:"servers"`
	// Processes are the server processes that clients share.
	Processes []holder.Process `json:"processes,omitzero"`
	// Own is the path of the user's winnow.json, which may not exist.
	Own      string    `json:"own"`
	Problems []problem `json:"problems"`
}

// fileReport is a file that was read.
type fileReport struct {
	Path   string `json:"path"`
	Client string `json:"client"`
	// Servers, Modes and Endpoints count the file's definitions.
	Servers   int `json:"servers"`
	Modes     int `json:"modes,omitzero"`
	Endpoints int `json:"endpoints,omitzero"`
	// Problems counts the problems in the file; the report lists them.
	Problems int `json:"problems,omitzero"`
	// LeftToVSCode: VS Code runs the servers of the file, Winnow does not.
	LeftToVSCode bool `json:"leftToVSCode,omitzero"`
}

// serverCheck is the state of one server.
type serverCheck struct {
	Name     string               `json:"name"`
	State    protocol.ServerState `json:"state"`
	Tools    int                  `json:"tools"`
	File     string               `json:"file,omitzero"`
	Line     int                  `json:"line,omitzero"`
	Warnings []string             `json:"warnings,omitzero"`
}

// problem is a problem with the next step.
type problem struct {
	What string `json:"what"`
	// Where is a file with a line, a setting or a server; empty for none.
	Where string `json:"where,omitzero"`
	Next  string `json:"next,omitzero"`
}

// Doctor writes the files that were read, the state of each server, and all problems with
// their next steps.
func Doctor(ctx context.Context, eo engine.Options, o *Options) error {
	return with(ctx, eo, o, func(ctx context.Context, s *session) error {
		report, err := s.examine(ctx, eo.Version)
		if err != nil {
			return err
		}
		write := printDoctor
		if o.JSON {
			write = func(o *Options, r *doctorReport) error { return codec.Write(o.Out, r) }
		}
		if err := write(o, report); err != nil {
			return err
		}
		if len(report.Problems) > 0 {
			return ErrProblems
		}
		return nil
	})
}

func (s *session) examine(ctx context.Context, version string) (*doctorReport, error) {
	servers, err := s.await(ctx, nil)
	if err != nil {
		return nil, err
	}
	r := &doctorReport{
		Version: version, Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Storage: s.Initialize.StoragePath, Trusted: s.Initialize.Trusted,
		Own: filepath.Join(s.engine.Workspace.UserDir(), "winnow.json"),
	}
	r.Files, r.Problems = s.files()
	if r.Running, err = s.Running(); err != nil {
		r.Problems = append(r.Problems, problem{What: err.Error(), Next: "Other clients start servers of their own until it is mended."})
	}
	if r.Processes, err = s.shared(); err != nil {
		r.Problems = append(r.Problems, problem{What: "Processes are not shared: " + err.Error(), Next: "Each client runs servers of its own until it is mended."})
	}
	if p := storageProblem(r.Storage); p != nil {
		r.Problems = append(r.Problems, *p)
	}
	for _, told := range s.told.all() {
		if told.Type != protocol.MessageInfo {
			r.Problems = append(r.Problems, toldProblem(&told))
			for i := range r.Files {
				if r.Files[i].Path == told.File {
					r.Files[i].Problems++
				}
			}
		}
	}
	for i := range servers {
		info := &servers[i]
		r.Servers = append(r.Servers, serverCheck{
			Name: info.Name, State: info.State, Tools: info.Tools, File: info.File, Line: info.Line, Warnings: info.Warnings,
		})
		if p := s.serverProblem(info); p != nil {
			r.Problems = append(r.Problems, *p)
		}
	}
	return r, nil
}

// files returns the existing configuration files: first those that Winnow reads, in order
// of precedence, then those whose servers VS Code runs. problems are those of the latter
// only, which also keep the servers out of routed chats.
func (s *session) files() (files []fileReport, problems []problem) {
	own := s.engine.Workspace.Files()
	read := slices.Concat(own, s.engine.Workspace.LeftToVSCode())
	for i := range read {
		f := &read[i]
		if _, err := os.Stat(f.Source.Path); err != nil {
			continue
		}
		one := fileReport{
			Path: f.Source.Path, Client: f.Source.Dialect.Client(), Modes: len(f.Modes), Endpoints: len(f.Endpoints),
			LeftToVSCode: i >= len(own),
		}
		for _, entry := range f.Entries {
			if entry.DefinesServer() {
				one.Servers++
			}
		}
		if one.LeftToVSCode { // nothing else reports it
			one.Problems = len(f.Problems)
			for _, p := range f.Problems {
				problems = append(problems, problem{What: p.Message, Where: place(p.Path, p.Line), Next: p.Hint})
			}
		}
		files = append(files, one)
	}
	return files, problems
}

// storageProblem checks that the storage is writable.
func storageProblem(folder string) *problem {
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(folder, ".doctor*"); err == nil {
			_, err = f.Write(make([]byte, 4096)) // a full disk has room for an empty file
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	if err == nil {
		return nil
	}
	return &problem{
		What: "Nothing can be remembered between runs: " + err.Error(), Where: folder,
		Next: "Free space there or make the folder writable, or name another by -storage.",
	}
}

// toldProblem converts a message for a host's user to a problem.
func toldProblem(m *protocol.ShowMessageParams) problem {
	where := place(m.File, m.Line)
	if where == "" {
		where = m.Setting
	}
	if where == "" && m.Server != "" {
		where = "server " + m.Server
	}
	return problem{What: m.Message, Where: where, Next: m.Next}
}

// logTail is how many lines of a failed server's log are shown.
const logTail = 3

// serverProblem returns what keeps a server from working; nil if it works or is switched
// off.
func (s *session) serverProblem(info *protocol.ServerInfo) *problem {
	p := &problem{What: fmt.Sprintf("Server %q is %s: %s.", info.Name, info.State, strings.TrimSuffix(trouble(info), ".")), Where: place(info.File, info.Line)}
	switch info.State {
	case protocol.ServerReady, protocol.ServerDisabled, protocol.ServerHost, protocol.ServerStopped:
		return nil
	case protocol.ServerWaitingForTrust:
		p.Next = "Look at the entry, then trust the workspace in VS Code, or start winnowd with -trust."
	case protocol.ServerWaitingForConsent:
		p.Next = "Look at the file, then allow it in VS Code, or start winnowd with -consent " + info.File + "."
	case protocol.ServerDeclined:
		p.Next = "Allow it again in VS Code's view of the servers, or start winnowd with -consent " + info.File + "."
	case protocol.ServerSignedOut:
		p.Next = "Sign in to it in VS Code's view of the servers."
	case protocol.ServerFailed:
		p.What = fmt.Sprintf("Server %q failed: %s.", info.Name, strings.TrimSuffix(trouble(info), "."))
		p.Next = strings.TrimSpace("Correct its entry, or try its command by hand. " + s.lastWords(info.Name))
	case protocol.ServerConfigured, protocol.ServerKnown, protocol.ServerStarting:
		if info.Error == "" && info.Cause == nil {
			p.What = fmt.Sprintf("Server %q is still %s after %s.", info.Name, info.State, s.Timeout)
			p.Next = strings.TrimSpace("Give it more time by -timeout. " + s.lastWords(info.Name))
		}
	}
	return p
}

// ownLine is the prefix of winnowd's lines in a server's log.
const ownLine = "[winnow] "

// lastWords returns the last lines that a server wrote; empty if none.
func (s *session) lastWords(server string) string {
	log, err := s.engine.Upstream.Log(server)
	lines := strings.Split(strings.TrimSpace(log), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" || strings.HasPrefix(line, ownLine) })
	if err != nil || len(lines) == 0 {
		return ""
	}
	return "It wrote: " + strings.Join(lines[max(0, len(lines)-logTail):], " / ")
}

func printDoctor(o *Options, r *doctorReport) error {
	p := printer{w: o.Out}
	p.line("winnowd %s, %s", r.Version, r.Platform)
	p.line("Storage: %s", r.Storage)
	switch {
	case r.Running:
		p.line("A daemon of this workspace is running; winnowd mcp joins it.")
	default:
		p.line("No daemon of this workspace is running; winnowd mcp starts servers of its own.")
	}
	p.line("\nFiles:")
	if len(r.Files) == 0 {
		p.line("  none of those that are looked for is there")
	}
	for _, f := range r.Files {
		p.line("  %s  (%s, %s%s)", shorten(f.Path), f.Client, plural(f.Servers, "server"), wrong(f.Problems))
		if f.LeftToVSCode {
			p.line("    VS Code runs these itself; winnowd does where winnow.servers.fromVSCode is true")
		}
	}
	p.line("\nServers:")
	switch {
	case len(r.Servers) > 0:
	case slices.ContainsFunc(r.Files, func(f fileReport) bool { return f.Problems > 0 }):
		p.line("  none; the problems below say why")
	default:
		p.line("  none is defined; write one to %s, or .vscode/winnow.json here:", shorten(r.Own))
		p.line(`  {"servers": {"NAME": {"command": "npx", "args": ["-y", "PACKAGE"]}}}`)
	}
	for _, server := range r.Servers {
		p.line("  %s  %s, %s", server.Name, server.State, plural(server.Tools, "tool"))
		for _, warning := range server.Warnings {
			p.line("    %s", warning)
		}
	}
	if p.err == nil {
		p.err = printProcesses(o, r.Processes)
	}
	p.line("")
	if len(r.Problems) == 0 {
		p.line("Nothing is wrong.")
		return p.err
	}
	p.line("%s:", plural(len(r.Problems), "problem"))
	for i, found := range r.Problems {
		p.line("%3d. %s", i+1, found.What)
		if found.Where != "" {
			p.line("     %s", shorten(found.Where))
		}
		if found.Next != "" {
			p.line("     → %s", found.Next)
		}
	}
	return p.err
}

// wrong formats the number of problems of a file; empty for none.
func wrong(problems int) string {
	if problems == 0 {
		return ""
	}
	return ", " + plural(problems, "problem")
}

// shorten replaces the home folder in a path by ~.
func shorten(path string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

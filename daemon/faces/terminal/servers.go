package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// serversReport is the output of `winnowd servers -json`.
type serversReport struct {
	Servers []protocol.ServerInfo `json:"servers"`
	// Tools is set if tools were requested.
	Tools []protocol.ToolInfo `json:"tools,omitzero"`
	// Processes are the processes that clients share.
	Processes []holder.Process `json:"processes,omitzero"`
}

// Servers lists the server only, or all servers if it is empty, and their tools if tools
// is set.
func Servers(ctx context.Context, eo engine.Options, o *Options, only string, tools bool) error {
	eo.Asleep = !o.Start
	return with(ctx, eo, o, func(ctx context.Context, s *session) error {
		if _, err := s.known(ctx); err != nil {
			return err
		}
		list, err := s.engine.Catalog.List(&protocol.CatalogListParams{Server: only, ServersOnly: !tools, Memory: true})
		if err == nil && only != "" && len(list.Servers) == 0 {
			err = s.noServer(only)
		}
		if err != nil {
			return err
		}
		processes, shared := s.shared()
		if o.JSON {
			return codec.Write(o.Out, serversReport{list.Servers, list.Tools, processes})
		}
		return errors.Join(printServers(o, &list), s.printUnknown(list.Servers), printProcesses(o, processes), s.printTold(), shared)
	})
}

// shared returns the processes that clients share.
func (s *session) shared() ([]holder.Process, error) {
	if s.Shared == nil {
		return nil, nil
	}
	return s.Shared()
}

// printProcesses writes the processes that clients share.
func printProcesses(o *Options, processes []holder.Process) error {
	if len(processes) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(o.Out, 0, 0, 2, ' ', 0)
	p := printer{w: table}
	p.line("\nSHARED PROCESS\tPID\tMEMORY\tSINCE\tUSED BY")
	for i := range processes {
		one := &processes[i]
		memory, clients := "", strings.Join(one.Clients, ", ")
		if one.Memory > 0 {
			memory = fmt.Sprintf("%d MB", one.Memory>>20)
		}
		p.line("%s\t%d\t%s\t%s\t%s", one.Server, one.PID, memory, one.Since.Local().Format("15:04:05"), cmp.Or(clients, "nobody now"))
	}
	return errors.Join(p.err, table.Flush())
}

// printTold writes the problems of files and settings.
func (s *session) printTold() error {
	p := printer{w: s.Out}
	for _, told := range s.told.all() {
		if told.Type == protocol.MessageInfo {
			continue
		}
		found := toldProblem(&told)
		p.line("\n%s", strings.Join(slices.DeleteFunc([]string{found.Where, found.What, found.Next},
			func(part string) bool { return part == "" }), ": "))
	}
	return p.err
}

// noServer returns the error for an undefined server, with the names of the defined ones.
func (s *session) noServer(name string) error {
	list, err := s.engine.Catalog.List(&protocol.CatalogListParams{ServersOnly: true})
	if err != nil {
		return err
	}
	if len(list.Servers) == 0 {
		return fmt.Errorf("no file defines a server, so none is called %q; winnowd doctor lists the files that are read", name)
	}
	names := make([]string, len(list.Servers))
	for i := range list.Servers {
		names[i] = strconv.Quote(list.Servers[i].Name)
	}
	return fmt.Errorf("no server is called %q; there are %s", name, strings.Join(names, ", "))
}

func printServers(o *Options, list *protocol.CatalogListResult) error {
	if len(list.Servers) == 0 {
		_, err := fmt.Fprintln(o.Out, "No file defines a server. winnowd doctor lists the files that are read.")
		return err
	}
	of := map[string][]*protocol.ToolInfo{}
	for i := range list.Tools {
		t := &list.Tools[i]
		of[t.Server] = append(of[t.Server], t)
	}
	table := tabwriter.NewWriter(o.Out, 0, 0, 2, ' ', 0)
	p := printer{w: table}
	p.line("SERVER\tSTATE\tTOOLS\tTOKENS\tDEFINED IN")
	for i := range list.Servers {
		server := &list.Servers[i]
		p.line("%s\t%s\t%s\t%d\t%s", server.Name, server.State, inScope(server), server.Tokens, place(server.File, server.Line))
		for _, t := range of[server.Name] {
			p.line("  %s\t%s\t\t%d", t.Tool, toolState(t), t.Tokens)
		}
	}
	if err := errors.Join(p.err, table.Flush()); err != nil {
		return err
	}
	p = printer{w: o.Out}
	troubles := 0
	for i := range list.Servers {
		if why := trouble(&list.Servers[i]); why != "" {
			p.line("\n%s: %s", list.Servers[i].Name, why)
			troubles++
		}
	}
	if troubles > 0 {
		p.line("\nwinnowd doctor says what to do.")
	}
	return p.err
}

// inScope returns the number of a server's tools, and how many are in scope if fewer.
func inScope(server *protocol.ServerInfo) string {
	if server.InScope == server.Tools {
		return fmt.Sprint(server.Tools)
	}
	return fmt.Sprintf("%d of %d", server.InScope, server.Tools)
}

// trouble returns why a server does not work; empty if it does.
func trouble(server *protocol.ServerInfo) string {
	switch {
	case server.Error != "":
		return server.Error
	case server.Cause != nil:
		return reasons.Text(*server.Cause)
	}
	return ""
}

func toolState(t *protocol.ToolInfo) string {
	switch {
	case t.Cause != nil:
		return "off: " + reasons.Text(*t.Cause)
	case t.AlwaysLoad:
		return "always loaded"
	}
	return ""
}

package daemon

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/faces/replay"
	"github.com/winnow-mcp/winnow/daemon/history"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/protocol"
)

// ReplayPrices are the prices of tokens; see [replay.Prices].
type ReplayPrices = replay.Prices

// ReplayTool is a tool of a host.
type ReplayTool = history.Tool

// Replay says which conversations are replayed, and how the report is written.
type Replay struct {
	// Initialize holds the initialize params of a host.
	Initialize protocol.InitializeParams
	// Tools are the host's current tools, by the host's names.
	Tools []ReplayTool
	Since time.Time
	// Here excludes conversations of other folders; "" excludes none.
	Here string
	// Clients are the IDs of the clients to read; nil means all.
	Clients []string
	// Files are read instead of those in a client's own folder.
	Files        map[string][]string
	Prices       ReplayPrices
	Grid, Redact bool
	// Record sums up the record of calls in the storage path, without clients' files.
	Record bool
	// Format is text, json, html, or editor for a page of an editor.
	Format string
	Out    io.Writer
	// Warn receives read errors and the progress.
	Warn io.Writer
}

// ReplayClients returns the IDs of the clients whose conversations can be read.
func ReplayClients() []string {
	var ids []string
	for _, r := range replay.Readers() {
		ids = append(ids, r.ID)
	}
	return ids
}

// Replay replays conversations and writes the report.
func (s *Server) Replay(ctx context.Context, r Replay) error {
	if unknown := slices.IndexFunc(r.Clients, func(id string) bool { return !slices.Contains(ReplayClients(), id) }); unknown >= 0 {
		return fmt.Errorf("-client: %q is no client whose conversations can be read; there are %s", r.Clients[unknown], strings.Join(ReplayClients(), ", "))
	}
	readers := slices.DeleteFunc(replay.Readers(), func(one history.Reader) bool {
		return r.Clients != nil && !slices.Contains(r.Clients, one.ID) || r.Clients == nil && len(r.Files) > 0 && r.Files[one.ID] == nil
	})
	report, err := s.report(ctx, &r, readers)
	if err != nil {
		return err
	}
	if r.Redact {
		report.Redact()
	}
	switch r.Format {
	case "json":
		return codec.Write(r.Out, report)
	case "html", "editor":
		return report.WritePage(r.Out, readers, r.Format == "editor")
	}
	return report.WriteText(r.Out, readers)
}

// report replays clients' files, or sums up the record.
func (s *Server) report(ctx context.Context, r *Replay, readers []history.Reader) (*replay.Report, error) {
	if r.Record {
		return replay.FromRecord(func(each func(journal.Entry) bool) error {
			return journal.Read(journal.Dir(r.Initialize.StoragePath), journal.Filter{Since: r.Since, Kind: journal.Call}, each)
		})
	}
	log, err := s.readHistory(r, readers)
	if err != nil {
		return nil, err
	}
	return replay.Run(ctx, s.engineOptions(), replay.Options{
		Initialize: r.Initialize, Log: log, Tools: r.Tools, Since: r.Since, Here: r.Here, Prices: r.Prices, Grid: r.Grid, ShutdownTime: s.options.ShutdownTime,
		Progress: func(done string) { fmt.Fprintln(r.Warn, done) },
	})
}

// readHistory reads the clients' files. It reports what cannot be opened and continues.
func (s *Server) readHistory(r *Replay, readers []history.Reader) (*history.Log, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	places := history.Places{Home: home, Config: config, Getenv: func(name string) string { value, _ := s.options.Environ(name); return value }}
	for _, storages := range r.Initialize.GlobalStorageDirs {
		places.VSCode = append(places.VSCode, filepath.Dir(storages))
	}
	log := &history.Log{}
	for _, reader := range readers {
		if err := log.ReadAll(reader, places, r.Files[reader.ID]); err != nil {
			fmt.Fprintln(r.Warn, err)
		}
	}
	return log, nil
}

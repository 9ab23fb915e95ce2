package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/upstream"
)

// Notifications that are passed through.
const (
	logMessage       = "notifications/message"
	resourcesChanged = "notifications/resources/list_changed"
	promptsChanged   = "notifications/prompts/list_changed"
)

// levelTime bounds the request that changes one server's level.
const levelTime = 5 * time.Second

// logLevels returns MCP's levels, the most verbose first.
func logLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// levels holds the levels requested of the servers.
type levels struct {
	// mu guards set, the requested level of each server and its connection's generation.
	// It is held during the requests, which serializes them.
	mu  sync.Mutex
	set map[string]levelSet
}

type levelSet struct {
	generation uint64
	level      string
}

// clientLogs is the state of one client's view of server logs.
type clientLogs struct {
	// mu guards what follows.
	mu sync.Mutex
	// used holds the servers that the client has called. level is the lowest level that
	// it receives; empty for none.
	used  map[string]bool
	level string
}

// noteCall records that a server was called.
func (l *clientLogs) noteCall(server string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used == nil {
		l.used = map[string]bool{}
	}
	l.used[server] = true
}

// at returns the index of the client's level in [logLevels], negative for none, and
// whether the client has called a server.
func (l *clientLogs) at(server string) (level int, used bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Index(logLevels(), l.level), l.used[server]
}

// SetLevel implements [mcpserver.Session].
func (s *session) SetLevel(ctx context.Context, level string) {
	s.logs.mu.Lock()
	s.logs.level = level
	s.logs.mu.Unlock()
	s.face.applyLevels(ctx)
}

// wantedLevel returns the most verbose level that a client has requested, or "" if none
// has.
func (f *Face) wantedLevel() string {
	most := len(logLevels())
	for _, s := range f.clients.all() {
		if at, _ := s.logs.at(""); at >= 0 {
			most = min(most, at)
		}
	}
	if most == len(logLevels()) {
		return ""
	}
	return logLevels()[most]
}

// applyLevels sets the level of wantedLevel on the ready servers.
func (f *Face) applyLevels(ctx context.Context) {
	wanted := f.wantedLevel()
	if wanted == "" {
		return
	}
	l := &f.levels
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.set == nil {
		l.set = map[string]levelSet{}
	}
	snapshot := f.engine.Snapshot()
	for _, name := range ready(f.engine, offersLogging) {
		server, _ := snapshot.Server(name)
		next := levelSet{server.Status.Generation, wanted}
		if l.set[name] == next {
			continue
		}
		l.set[name] = next
		f.setLevel(ctx, name, wanted)
	}
}

func (f *Face) setLevel(ctx context.Context, server, level string) {
	ctx, cancel := context.WithTimeout(ctx, levelTime)
	defer cancel()
	_, err := f.engine.Request(ctx, upstream.Request{
		Server: server, Method: "logging/setLevel", Params: codec.Marshal(map[string]string{"level": level}),
	})
	if err != nil {
		f.log.Debug("log level not set", "server", server, "error", err)
	}
}

// announced passes on an announcement of a server to the clients that it concerns.
func (f *Face) announced(a upstream.Announcement) {
	if f.engine.Admits(a.Server) != nil {
		return
	}
	switch a.Method {
	case resourceUpdated:
		updated(a)
		return
	case elicitationDone:
		f.elicited(a)
		return
	}
	for _, s := range f.clients.all() {
		switch a.Method {
		case resourcesChanged:
			s.offers.changed(offersResources, a.Method)
		case promptsChanged:
			s.offers.changed(offersPrompts, a.Method)
		case logMessage:
			s.logged(a)
		}
	}
}

// changed notifies a client that has read a list of a newer one.
func (o *offers) changed(capability, method string) {
	o.mu.Lock()
	_, seen := o.listed[capability]
	o.mu.Unlock()
	if seen {
		o.client.Notify(method, nil)
	}
}

// logged passes a log message to the client if its level includes the message. During
// calls the message goes to the sessions that make them, otherwise to those that have
// called the server.
func (s *session) logged(a upstream.Announcement) {
	var params map[string]any
	if json.Unmarshal(a.Params, &params) != nil {
		return
	}
	level, _ := params["level"].(string)
	from, used := s.logs.at(a.Server)
	if from < 0 || slices.Index(logLevels(), level) < from {
		return
	}
	if mine := slices.Contains(a.Sessions, any(s)); !mine && (len(a.Sessions) > 0 || !used) {
		return
	}
	logger := a.Server
	if own, ok := params["logger"].(string); ok && own != "" {
		logger += "/" + own
	}
	params["logger"] = logger
	s.client.Notify(a.Method, params)
}

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

// Notifications of MCP's that are passed through.
const (
	logMessage       = "notifications/message"
	resourcesChanged = "notifications/resources/list_changed"
	promptsChanged   = "notifications/prompts/list_changed"
)

// levelTime bounds how long one server may take to change its level.
const levelTime = 5 * time.Second

// logLevels are MCP's, from the one that says most.
func logLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// levels is what the servers were asked to log.
type levels struct {
	// mu guards set, the level of each server with the connection that it was
	// asked on. It is held while servers are asked: the next wish waits.
	mu  sync.Mutex
	set map[string]levelSet
}

type levelSet struct {
	generation uint64
	level      string
}

// clientLogs is what one client sees of the servers' logs.
type clientLogs struct {
	// mu guards what follows.
	mu sync.Mutex
	// used holds the servers that the client has called, level what it wants to
	// see of their logs; empty is nothing.
	used  map[string]bool
	level string
}

// noteCall remembers that a server was called.
func (l *clientLogs) noteCall(server string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used == nil {
		l.used = map[string]bool{}
	}
	l.used[server] = true
}

// at returns the place of the level in [logLevels], negative for none, and
// whether a server was called.
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

// wantedLevel is the level that says most of those that clients asked for;
// empty when none did.
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

// applyLevels asks the servers that run for what the clients want to see.
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

// announced passes on what a server announces, to those whom it concerns.
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

// changed tells a client that has seen a list that there is a newer one.
func (o *offers) changed(capability, method string) {
	o.mu.Lock()
	_, seen := o.listed[capability]
	o.mu.Unlock()
	if seen {
		o.client.Notify(method, nil)
	}
}

// logged tells a client what a server logs, when the client asked for it and
// the message can be its own: while calls are under way it is for those who
// make them, and else for those who have called the server.
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

package upstream

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

// startListing lists the tools again, because the server announced a change, the lifetime
// of the list expired, or [Manager.Relist] was called. A server that is not connected gets
// those of its manifest.
func (s *server) startListing(ctx context.Context) {
	s.changes.stop()
	stop(&s.staleTimer)
	if s.conn == nil {
		w, _ := s.wanted()
		if m := s.shared.manifests.load(w.hash); m != nil && !s.at.dialing { // an attempt lists by itself
			s.learn(w.hash, m)
			s.show.Tools, s.at.known = m.Tools, true
			s.publish()
		}
		return
	}
	if s.listing {
		// The response under way may be older than the announcement.
		s.changes.note()
		return
	}
	s.listing = true
	conn, generation := s.conn, s.generation
	w, _ := s.wanted()
	s.work.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, w.cfg.StartTimeout)
		defer cancel()
		l, err := conn.ListTools(ctx)
		select {
		case s.listed <- listResult{generation: generation, listing: l, err: err}:
		case <-s.done:
		}
	})
}

// minTimeToLive is the shortest time between two listings due to an expired lifetime.
const minTimeToLive = time.Minute

// expectStale schedules the next listing after ttl. If ttl is 0, the tools are listed
// again only when the server announces a change.
func (s *server) expectStale(ttl time.Duration) {
	stop(&s.staleTimer)
	if ttl > 0 {
		s.staleTimer = time.NewTimer(max(ttl, minTimeToLive))
	}
}

func (s *server) onListed(r listResult) {
	if r.generation != s.generation || s.conn == nil {
		return
	}
	s.listing = false
	if r.err != nil {
		s.show.Status.Warnings = []string{clean.Shown(s.redact, fmt.Sprintf("its tools may have changed but could not be listed again: %v", r.err))}
		s.publish()
		s.expectStale(minTimeToLive)
		if shared := s.shared.manifests.shared(); shared != nil {
			shared.Failed(s.at.hash)
		}
		return
	}
	same, warned := r.listing.Equal(s.show.Tools), s.show.Status.Warnings
	s.takeTools(r.listing)
	if !same || !slices.Equal(warned, s.show.Status.Warnings) {
		s.publish()
		s.moved = s.moved || !same
		s.unsaved = true
	}
	if s.unsaved && (s.shared.manifests.shared() != nil || time.Since(s.savedAt) >= saveEvery) {
		s.writeManifest()
	}
}

// writeManifest saves the manifest of the server to the cache and keeps it for the next
// attempt.
func (s *server) writeManifest() {
	m := &manifest{
		Era: s.show.Status.Era, OAuth: s.oauth, Info: s.show.Info,
		Instructions: s.show.Instructions, Capabilities: s.show.Capabilities, Tools: s.show.Tools,
	}
	s.learn(s.at.hash, m)
	s.savedAt, s.unsaved = time.Now(), !s.shared.manifests.save(s.at.hash, m)
}

// startPing pings the server in a goroutine.
func (s *server) startPing(ctx context.Context) {
	stop(&s.pingTimer)
	conn, generation := s.conn, s.generation
	s.work.Go(func() {
		err := conn.Ping(ctx)
		select {
		case s.pinged <- pingResult{generation: generation, err: err}:
		case <-s.done:
		}
	})
}

// onPinged counts unanswered pings. A single one is tolerated, because a server may be
// busy with a call.
func (s *server) onPinged(r pingResult) {
	if r.generation != s.generation || s.conn == nil {
		return
	}
	s.misses++
	if r.err == nil {
		s.misses = 0
	}
	if s.misses >= pingsMissed {
		s.conn.Fail(r.err)
		return
	}
	s.pingTimer = time.NewTimer(pingEvery)
}

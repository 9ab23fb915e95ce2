package upstream

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

// startListing asks for the tools again: the server announced a change, or the
// time of the list is over.
func (s *server) startListing(ctx context.Context) {
	s.changes.stop()
	stop(&s.staleTimer)
	if s.conn == nil {
		return
	}
	if s.listing {
		// The answer on its way may be older than the announcement.
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

// minTimeToLive bounds how often a list is asked for because its time is over.
const minTimeToLive = time.Minute

// expectStale asks for the tools again when their time is over. A server that
// gives them none is asked when it announces a change.
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
		return
	}
	same, warned := r.listing.Equal(s.show.Tools), s.show.Status.Warnings
	s.takeTools(r.listing)
	if same && slices.Equal(warned, s.show.Status.Warnings) {
		return
	}
	s.publish()
	s.moved = s.moved || !same
	s.unsaved = true
	if time.Since(s.savedAt) >= saveEvery {
		s.writeManifest()
	}
}

// writeManifest writes what is known of the server to the manifest cache, and
// hands it to the next attempt.
func (s *server) writeManifest() {
	m := &manifest{
		Era: s.show.Status.Era, OAuth: s.oauth, Info: s.show.Info,
		Instructions: s.show.Instructions, Capabilities: s.show.Capabilities, Tools: s.show.Tools,
	}
	s.learn(s.at.hash, m)
	s.savedAt, s.unsaved = time.Now(), false
	s.shared.manifests.save(s.at.hash, m)
}

// startPing asks the server whether it lives.
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

// onPinged counts unanswered pings. One may stay unanswered: a server may be
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

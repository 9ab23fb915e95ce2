package learned

import (
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// Savings sums up what routing saved in the current week. Nothing of it says
// what the requests were about.
type Savings struct {
	file file
	now  func() time.Time

	// mu guards what follows.
	mu    sync.Mutex
	week  protocol.WeekSavings
	dirty bool
}

// OpenSavings reads the sums of a workspace. A file that cannot be read is begun
// anew, and the error says so.
func OpenSavings(storage string, now func() time.Time) (*Savings, error) {
	s := &Savings{file: newFile(storage, "savings", "sums of the week", 1), now: now}
	if _, err := s.file.read(&s.week); err != nil {
		s.week = protocol.WeekSavings{}
		return s, err
	}
	return s, nil
}

// Record notes a request with what it carries. One for which nothing was chosen,
// or that only would have been another one, saved nothing.
func (s *Savings) Record(a *protocol.Attachment, newTask bool) {
	if a.Mode == protocol.AttachAll || a.Shadow {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	s.week.Requests++
	if newTask {
		s.week.Tasks++
	}
	s.week.ClientSaved += a.Tokens.ClientSaved
	s.week.Saved += a.Tokens.Saved
	s.dirty = true
}

// Week returns the sums of the current week.
func (s *Savings) Week() protocol.WeekSavings {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	return s.week
}

// begin begins a new week where the old one is over. The caller holds mu.
func (s *Savings) begin() {
	now := s.now()
	sinceMonday := (int(now.Weekday()) + 6) % 7
	if monday := now.AddDate(0, 0, -sinceMonday).Format(time.DateOnly); s.week.Monday != monday {
		s.week = protocol.WeekSavings{Monday: monday}
	}
}

// Clear sets the sums to zero and deletes the file.
func (s *Savings) Clear() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.week, s.dirty = protocol.WeekSavings{}, false
	return s.file.remove()
}

// Save writes the sums if they have changed. It holds mu to the end, so that
// what is cleared meanwhile does not come back.
func (s *Savings) Save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty {
		return nil
	}
	if err := s.file.write(s.week); err != nil {
		return err
	}
	s.dirty = false
	return nil
}

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

	// writing is held while the file is read, written or deleted, and taken before
	// mu.
	writing sync.Mutex

	// mu guards what follows. It is held for no I/O.
	mu   sync.Mutex
	week protocol.WeekSavings
	// fresh is what of week is not in the file yet.
	fresh protocol.WeekSavings
}

// OpenSavings reads the sums of a workspace. A file that cannot be read is begun
// anew, and the error says so.
func OpenSavings(storage string, now func() time.Time) (*Savings, error) {
	s := &Savings{file: newFile(storage, "savings", "sums of the week", 2), now: now}
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
	one := protocol.WeekSavings{Requests: 1, Client: a.Tokens.Client, ClientSaved: a.Tokens.ClientSaved, Saved: a.Tokens.Saved}
	if newTask {
		one.Tasks = 1
	}
	s.week, s.fresh = sum(s.week, one), sum(s.fresh, one)
}

// sum adds to the sums of a week.
func sum(week, more protocol.WeekSavings) protocol.WeekSavings {
	week.Tasks += more.Tasks
	week.Requests += more.Requests
	week.Client += more.Client
	week.ClientSaved += more.ClientSaved
	week.Saved += more.Saved
	return week
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
		s.week, s.fresh = protocol.WeekSavings{Monday: monday}, protocol.WeekSavings{}
	}
}

// Clear sets the sums to zero and deletes the file.
func (s *Savings) Clear() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	s.week, s.fresh = protocol.WeekSavings{}, protocol.WeekSavings{}
	s.mu.Unlock()
	return s.file.remove()
}

// Save adds what is new to the sums as they are now: another window of the
// workspace may have added to them, or cleared them. What is cleared meanwhile
// does not come back: that waits.
func (s *Savings) Save() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	week, fresh := s.unsaved()
	if fresh == (protocol.WeekSavings{}) || !s.file.keeps() {
		return nil
	}
	var kept protocol.WeekSavings
	if _, err := s.file.read(&kept); err == nil {
		if kept.Monday != week.Monday {
			kept = protocol.WeekSavings{Monday: week.Monday}
		}
		week = sum(kept, fresh)
	} // else the file is of no use, and replaced
	if err := s.file.write(week); err != nil {
		return err
	}
	s.saved(week, fresh)
	return nil
}

// unsaved returns the sums of the week, and what of them is not in the file.
func (s *Savings) unsaved() (week, fresh protocol.WeekSavings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	return s.week, s.fresh
}

// saved notes that the file has these sums, with what was fresh.
func (s *Savings) saved(week, fresh protocol.WeekSavings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.week.Monday != week.Monday {
		return // another week has begun meanwhile
	}
	s.fresh = protocol.WeekSavings{
		Tasks: s.fresh.Tasks - fresh.Tasks, Requests: s.fresh.Requests - fresh.Requests,
		Client: s.fresh.Client - fresh.Client, ClientSaved: s.fresh.ClientSaved - fresh.ClientSaved, Saved: s.fresh.Saved - fresh.Saved,
	}
	s.week = sum(week, s.fresh)
}

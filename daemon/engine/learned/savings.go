package learned

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// maxDays is how many days of sums are stored: four weeks, and the current one.
const maxDays = 35

// Savings sums up what routing saved by day, without the content of requests.
type Savings struct {
	file file
	now  func() time.Time

	// writing is held while the file is read, written or deleted. It is locked before mu.
	writing sync.Mutex

	// mu guards the following fields. It is not held during I/O.
	mu sync.Mutex
	// days holds the days with data, earliest first.
	days []protocol.DaySavings
	// fresh holds the part of days that is not in the file yet.
	fresh []protocol.DaySavings
}

// keptSavings is the content of the file. An earlier version holds only the sums of a
// week, which then count for its first day.
type keptSavings struct {
	protocol.WeekSavings

	Days []protocol.DaySavings `json:"days,omitzero"`
}

func (k *keptSavings) sums() []protocol.DaySavings {
	if w := k.WeekSavings; len(k.Days) == 0 && w.Requests > 0 {
		return []protocol.DaySavings{{Day: w.Monday, Tasks: w.Tasks, Requests: w.Requests, Client: w.Client, ClientSaved: w.ClientSaved, Saved: w.Saved}}
	}
	return k.Days
}

// OpenSavings reads the sums of a workspace. If the file is unreadable, it starts empty
// and the error says so.
func OpenSavings(storage string, now func() time.Time) (*Savings, error) {
	s := &Savings{file: newFile(storage, "savings", "sums of the week", 2), now: now}
	var kept keptSavings
	if _, err := s.file.read(&kept); err != nil {
		return s, err
	}
	s.days = kept.sums()
	return s, nil
}

// Record records a request with what it carries, and the tokens of the tools left out, by
// server. A request without a choice, or in shadow mode, is ignored.
func (s *Savings) Record(a *protocol.Attachment, leftOut map[string]int, newTask bool) {
	if a.Mode == protocol.AttachAll || a.Shadow {
		return
	}
	one := protocol.DaySavings{
		Day: s.now().Format(time.DateOnly), Requests: 1,
		Client: a.Tokens.Client, ClientSaved: a.Tokens.ClientSaved, Saved: a.Tokens.Saved, LeftOut: leftOut,
	}
	if newTask {
		one.Tasks = 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.days, s.fresh = sum(s.days, one), sum(s.fresh, one)
}

// sum adds to the sums of days, and drops days that are too old. It does not modify its
// arguments.
func sum(days []protocol.DaySavings, more ...protocol.DaySavings) []protocol.DaySavings {
	days = slices.Clone(days)
	for _, one := range more {
		at, found := slices.BinarySearchFunc(days, one.Day, func(d protocol.DaySavings, day string) int { return strings.Compare(d.Day, day) })
		if !found {
			days = slices.Insert(days, at, protocol.DaySavings{Day: one.Day})
		}
		day := &days[at]
		day.Tasks += one.Tasks
		day.Requests += one.Requests
		day.Client += one.Client
		day.ClientSaved += one.ClientSaved
		day.Saved += one.Saved
		day.LeftOut = maps.Clone(day.LeftOut)
		for server, tokens := range one.LeftOut {
			if day.LeftOut == nil {
				day.LeftOut = map[string]int{}
			}
			day.LeftOut[server] += tokens
		}
	}
	return lately(days)
}

// lately drops the days that are maxDays or more before the last.
func lately(days []protocol.DaySavings) []protocol.DaySavings {
	if len(days) == 0 {
		return days
	}
	last, err := time.Parse(time.DateOnly, days[len(days)-1].Day)
	if err != nil {
		return days[max(0, len(days)-maxDays):]
	}
	first := last.AddDate(0, 0, 1-maxDays).Format(time.DateOnly)
	return slices.DeleteFunc(days, func(d protocol.DaySavings) bool { return d.Day < first })
}

// Days returns the sums of the last days with data, earliest first. Callers must not
// modify them.
func (s *Savings) Days() []protocol.DaySavings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.days
}

// Week returns the sums of the current week.
func (s *Savings) Week() protocol.WeekSavings {
	now := s.now()
	sinceMonday := (int(now.Weekday()) + 6) % 7
	week := protocol.WeekSavings{Monday: now.AddDate(0, 0, -sinceMonday).Format(time.DateOnly)}
	for _, day := range s.Days() {
		if day.Day < week.Monday {
			continue
		}
		week.Tasks += day.Tasks
		week.Requests += day.Requests
		week.Client += day.Client
		week.ClientSaved += day.ClientSaved
		week.Saved += day.Saved
	}
	return week
}

// Clear resets the sums and deletes the file.
func (s *Savings) Clear() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	s.days, s.fresh = nil, nil
	s.mu.Unlock()
	return s.file.remove()
}

// Save adds the new sums to the current file, which another window of the workspace may
// have changed or cleared. A concurrent Clear waits, so that it is not undone.
func (s *Savings) Save() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	fresh := s.take()
	if len(fresh) == 0 {
		return nil
	}
	var kept keptSavings
	if _, err := s.file.read(&kept); err != nil {
		kept = keptSavings{} // the file is unusable and replaced
	}
	days := sum(kept.sums(), fresh...)
	err := s.file.write(keptSavings{Days: days})
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.fresh = sum(fresh, s.fresh...)
		return err
	}
	s.days = sum(days, s.fresh...)
	return nil
}

// take returns what is to be written and marks it as not fresh. It returns nil without a
// storage path.
func (s *Savings) take() []protocol.DaySavings {
	if !s.file.keeps() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := s.fresh
	s.fresh = nil
	return fresh
}

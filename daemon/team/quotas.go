package team

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/identity"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
)

// quotaFile are the requests that users and groups may make in a minute, on all
// replicas together; 0 is any number.
type quotaFile struct {
	// User is for each user, Groups for all users of a group together.
	User   int64            `json:"user"`
	Groups map[string]int64 `json:"groups"`
}

// quotaSlices is how many slices a quota has: so few requests ask the database, and so
// much of a quota may be left with replicas that do not need it.
const quotaSlices = 20

// awayTime is how long a database that did not answer is not asked again.
const awayTime = time.Second

// quotas are what this replica has taken of the quotas of all.
type quotas struct {
	keeping pg.Keeping

	mu   sync.Mutex
	have map[string]*slice // guarded by mu
	away time.Time         // guarded by mu: until then the database is not asked
}

// slice is what a replica has of one quota, until the minute is over.
type slice struct {
	mu    sync.Mutex
	left  int64     // guarded by mu
	until time.Time // guarded by mu
	spent int64     // guarded by mu: the quota of which nothing is left in this minute
}

// limit is one quota that a request counts to.
type limit struct {
	name, whose string
	most        int64
}

// limits returns the quotas that the requests of somebody count to.
func (q quotaFile) limits(who principal.Principal, groups []string) (all []limit) {
	if q.User > 0 {
		all = append(all, limit{"user " + who.Key(""), "each user", q.User})
	}
	for _, group := range slices.Sorted(maps.Keys(q.Groups)) {
		if most := q.Groups[group]; most > 0 && slices.Contains(groups, group) {
			all = append(all, limit{"group " + strconv.Quote(group), fmt.Sprintf("the group %q", group), most})
		}
	}
	return all
}

// take counts a request of somebody. It returns what is said where a quota is used
// up, and when there is more.
func (q *quotas) take(ctx context.Context, limits []limit) (refusal string, wait time.Duration, err error) {
	for _, l := range limits {
		ok, wait, err := q.one(ctx, l)
		if err != nil {
			return "", 0, err
		}
		if !ok {
			return fmt.Sprintf("The quota of %d requests a minute for %s is used up; the operator of this gateway sets it", l.most, l.whose), wait, nil
		}
	}
	return "", 0, nil
}

func (q *quotas) one(ctx context.Context, l limit) (ok bool, wait time.Duration, err error) {
	q.mu.Lock()
	if len(q.have) >= maxSeen {
		clear(q.have)
	}
	s := q.have[l.name]
	if s == nil {
		s = &slice{}
		q.have[l.name] = s
	}
	q.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now() // after the wait for those before
	if now.After(s.until) || s.left == 0 && s.spent != l.most {
		if q.isAway(now) {
			return true, 0, nil
		}
		got, left, err := q.keeping.Take(ctx, l.name, l.most, max(1, l.most/quotaSlices))
		if err != nil {
			if ctx.Err() == nil {
				q.mu.Lock()
				q.away = time.Now().Add(awayTime)
				q.mu.Unlock()
			}
			return false, 0, err
		}
		s.left, s.until, s.spent = got, now.Add(left), 0
		if got == 0 {
			s.spent = l.most
		}
	}
	if s.left == 0 {
		return false, s.until.Sub(now), nil
	}
	s.left--
	return true, 0, nil
}

// isAway reports whether the database did not answer a moment ago.
func (q *quotas) isAway(now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return now.Before(q.away)
}

// within counts a request to the quotas, and reports the refusal where one is used
// up. While the database is away nothing is counted.
func (d *door) within(ctx context.Context, now *checked, who identity.Identity) (refusal string, wait time.Duration) {
	refusal, wait, err := d.quotas.take(ctx, now.team.Quotas.limits(who.Principal, who.Groups))
	if err != nil {
		d.log.Warn("requests are not counted", "error", err)
	}
	return refusal, wait
}

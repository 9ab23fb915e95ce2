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

// quotaFile holds the requests that users and groups may make per minute, on all replicas
// together; 0 means any number.
type quotaFile struct {
	// User applies to each user, Groups to all users of a group together.
	User   int64            `json:"user"`
	Groups map[string]int64 `json:"groups"`
}

// quotaSlices is how many slices a quota has. Few slices mean few database requests, but
// more of a quota left unused at replicas.
const quotaSlices = 20

// awayTime is how long a failed database is not queried again.
const awayTime = time.Second

// quotas holds the slices that this replica has taken of the shared quotas.
type quotas struct {
	keeping pg.Keeping

	mu   sync.Mutex
	have map[string]*slice // guarded by mu
	away time.Time         // guarded by mu: the database is not queried until then
}

// slice is a replica's part of one quota, until the minute is over.
type slice struct {
	mu    sync.Mutex
	left  int64     // guarded by mu
	until time.Time // guarded by mu
	spent int64     // guarded by mu: the quota that is used up in this minute
}

// limit is one quota that applies to a request.
type limit struct {
	name, whose string
	most        int64
}

// limits returns the quotas that apply to a user's requests.
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

// take counts a request. If a quota is used up, it returns the refusal and when there is
// more.
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
	now := time.Now() // after waiting for earlier requests
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

// isAway reports whether the database failed within awayTime.
func (q *quotas) isAway(now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return now.Before(q.away)
}

// within counts a request against the quotas, and returns the refusal if one is used up.
// While the database is away nothing is counted.
func (d *door) within(ctx context.Context, now *checked, who identity.Identity) (refusal string, wait time.Duration) {
	refusal, wait, err := d.quotas.take(ctx, now.team.Quotas.limits(who.Principal, who.Groups))
	if err != nil {
		d.log.Warn("requests are not counted", "error", err)
	}
	return refusal, wait
}

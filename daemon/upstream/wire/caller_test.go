package wire

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// The timeout of a call does not run while its user is asked something, and
// begins anew after the answer.
func TestCountdown_waitsForAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var late, stuck time.Duration
		p := newCountdown(time.Minute, func() { late = time.Since(begun) }, func() { stuck = time.Since(begun) })
		time.Sleep(30 * time.Second)
		p.pause()
		p.pause() // a second question
		time.Sleep(time.Hour)
		p.resume()
		time.Sleep(time.Hour)
		synctest.Wait()
		if late != 0 || stuck != 0 {
			t.Fatal("the timeout has run while a question was open")
		}
		p.resume()
		time.Sleep(time.Hour)
		synctest.Wait()
		want := 2*time.Hour + 90*time.Second
		if late != want || stuck != want+unblockGrace {
			t.Errorf("late after %s, stuck after %s; want %s", late, stuck, want)
		}
	})
}

func TestCountdown_endsForGood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rung := false
		p := newCountdown(time.Minute, func() { rung = true }, func() { rung = true })
		p.pause()
		p.end()
		p.resume()
		time.Sleep(time.Hour)
		synctest.Wait()
		if rung {
			t.Error("the timeout of an answered request has run out")
		}
	})
}

func TestCallers_whoIsMeant(t *testing.T) {
	t.Parallel()
	ask := func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	a, sameSession, b := &Caller{"a", ask}, &Caller{"a", ask}, &Caller{"b", ask}
	for name, tc := range map[string]struct {
		calls []*Caller
		exact *Caller // what the request itself tells
		want  error
	}{
		"nobody":                 {nil, nil, errNobodyCalls},
		"one":                    {[]*Caller{a}, nil, nil},
		"two calls of a session": {[]*Caller{a, sameSession}, nil, nil},
		"two sessions":           {[]*Caller{a, b}, nil, errManyCall},
		"one and the daemon":     {[]*Caller{a, nil}, nil, errManyCall},
		"the daemon":             {[]*Caller{nil}, nil, errCannotAsk},
		"two sessions, but told": {[]*Caller{a, b}, b, nil},
		"one without an ear":     {[]*Caller{{Session: "c"}}, nil, errCannotAsk},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c callers
			for _, who := range tc.calls {
				p := newCountdown(time.Hour, func() {}, func() {})
				defer p.end()
				defer c.join(p, who)()
			}
			ctx := t.Context()
			if tc.exact != nil {
				ctx = context.WithValue(ctx, callerKey{}, tc.exact)
			}
			who, resume, err := c.hold(ctx)
			if !errors.Is(err, tc.want) {
				t.Fatalf("%v, want %v", err, tc.want)
			}
			if err != nil {
				return
			}
			resume()
			if tc.exact != nil && who != tc.exact {
				t.Errorf("%v is asked", who.Session)
			}
		})
	}
}

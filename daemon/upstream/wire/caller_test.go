package wire

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
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

// Once a server has asked without saying of which call, calls of different sessions
// are made one after another, in the order in which they came, those of the session
// whose turn it is at once; one that is given up lets the next one go.
func TestCallers_turns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b, d := &Caller{Session: "a"}, &Caller{Session: "b"}, &Caller{Session: "d"}
		life, end := context.WithCancel(t.Context())
		defer end()
		c := callers{life: life}
		var order []string
		enter := func(ctx context.Context, name string, who *Caller) (leave func(), left chan error) {
			over, left := make(chan struct{}), make(chan error, 1)
			go func() {
				done, err := c.turn(ctx, who, func() { order = append(order, name+" waits") })
				if err == nil {
					order = append(order, name)
					<-over
					done()
				}
				left <- err
			}()
			synctest.Wait()
			return func() { close(over); synctest.Wait() }, left
		}
		endA, _ := enter(t.Context(), "a", a)
		endB, _ := enter(t.Context(), "b", b)
		if _, _, err := c.hold(t.Context()); !errors.Is(err, errNobodyCalls) || c.asks {
			t.Fatalf("a question while nothing is called: %v, %t", err, c.asks)
		}
		leave := c.join(newCountdown(time.Hour, func() {}, func() {}), a)
		if _, _, err := c.hold(t.Context()); !errors.Is(err, errCannotAsk) || !c.asks {
			t.Fatalf("a question: %v, %t", err, c.asks)
		}
		leave()
		// Both are under way yet.
		endD, _ := enter(t.Context(), "d", d)
		endNobody, _ := enter(t.Context(), "nobody", nil)
		gone, cancel := context.WithCancel(t.Context())
		_, left := enter(gone, "gone", &Caller{Session: "e"})
		endOwn, _ := enter(t.Context(), "a again", a)
		cancel()
		synctest.Wait()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("a call that was given up: %v", err)
		}
		endA()
		endB()
		order = append(order, "a is over but for one")
		endOwn()
		order = append(order, "a is over")
		endD()
		_, left = enter(t.Context(), "last", d)
		end()
		if err := <-left; !errors.Is(err, ErrClosing) {
			t.Errorf("a call that waits at the end: %v", err)
		}
		endNobody()
		want := "a, b, d waits, nobody waits, gone waits, a again, a is over but for one, d, a is over, nobody, last waits"
		if got := strings.Join(order, ", "); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if len(c.turns)+len(c.waiting) > 0 {
			t.Errorf("left are %v and %v", c.turns, c.waiting)
		}
	})
}

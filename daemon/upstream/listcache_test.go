package upstream

import (
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestListCache(t *testing.T) {
	t.Parallel()
	const list, page2 = mcp.MethodResourcesList, `{"cursor":"2"}`
	synctest.Test(t, func(t *testing.T) {
		var c listCache
		good := json.RawMessage(`{"resources":[],"ttlMs":60000}`)
		expect := func(what string, method mcp.MCPMethod, params, want string) {
			t.Helper()
			if got, _ := c.get(method, json.RawMessage(params)); string(got) != want {
				t.Errorf("%s: %s, want %q", what, got, want)
			}
		}
		_, changes := c.get(list, nil)
		c.put(list, nil, good, changes)
		c.put(mcp.MethodPromptsList, nil, json.RawMessage(`{"prompts":[]}`), changes)
		expect("kept", list, "", string(good))
		expect("another page", list, page2, "")
		expect("without a time", mcp.MethodPromptsList, "", "")
		time.Sleep(time.Minute)
		expect("its time is over", list, "", "")

		c.put(list, nil, good, changes)
		c.changed("prompts")
		expect("another list has changed", list, "", string(good))
		c.changed("resources")
		expect("it has changed", list, "", "")
		c.put(list, nil, good, changes)
		expect("it is older than the change", list, "", "")
	})
}

func TestTimeToLive(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		`{}`: 0, `{"ttlMs":0}`: 0, `{"ttlMs":-5}`: 0, `{"ttlMs":"5"}`: 0, `{"ttlMs":5}`: 5 * time.Millisecond,
		`{"ttlMs":9223372036854775807}`: 24 * time.Hour,
	} {
		if got := timeToLive(json.RawMessage(text)); got != want {
			t.Errorf("%s lives for %s, want %s", text, got, want)
		}
	}
}

// TestServer_TimeToLive: tools are listed again when the server's time for them
// is over, not more often than each minute, and after a failure too; without a
// time they are not.
func TestServer_TimeToLive(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ttl  time.Duration
		fail bool
		want int32
	}{
		"none":    {0, false, 1},
		"short":   {time.Second, false, 11},
		"long":    {5 * time.Minute, false, 3},
		"failing": {time.Second, true, 11},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var listed atomic.Int32
			d := &fakeDialer{tune: func(c *fakeConn) {
				c.tools = func() (listing, error) {
					if listed.Add(1) > 1 && test.fail {
						return listing{}, errors.New("not now")
					}
					l := fakeListing("a")
					l.ttl = test.ttl
					return l, nil
				}
			}}
			inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
				apply(t, m, fakeServer())
				expectState(t, m, Ready)
				time.Sleep(10*time.Minute + time.Second)
				s := expectState(t, m, Ready)
				if got := listed.Load(); got != test.want {
					t.Errorf("listed %d times, want %d", got, test.want)
				}
				if (len(s.Warnings) == 1) != test.fail {
					t.Errorf("warnings %q", s.Warnings)
				}
			})
		})
	}
}

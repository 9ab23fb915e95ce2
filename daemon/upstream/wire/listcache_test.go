package wire

import (
	"encoding/json"
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

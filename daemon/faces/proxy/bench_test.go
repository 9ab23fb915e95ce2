package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
)

// benchRequest is a streamed request with n of the usual tools, and a
// conversation of forty messages.
func benchRequest(n int) []byte {
	var tools, messages []string
	for i, tool := range enginetest.RealisticTools(n) {
		tools = append(tools, fmt.Sprintf(`{"type":"function","function":{"name":"mcp__server%d__%s","description":%q,"parameters":%s}}`,
			i*10/n, tool.Name, tool.Description, tool.InputSchema))
	}
	for i := range 40 {
		role := []string{"user", "assistant"}[i%2]
		messages = append(messages, fmt.Sprintf(`{"role":%q,"content":%q}`, role, strings.Repeat("some words of the conversation ", 20)))
	}
	messages = append(messages, `{"role":"user","content":"archive the invoices of last year"}`)
	return fmt.Appendf(nil, `{"model":"m","stream":true,"messages":[%s],"tools":[%s]}`, strings.Join(messages, ","), strings.Join(tools, ","))
}

// BenchmarkProxy measures what the proxy adds to the first byte of a streamed
// answer and to the whole: each request is made directly and then through the
// proxy, to a provider that answers at once with a hundred events.
//
//	go test ./daemon/faces/proxy -run '^$' -bench Proxy -benchtime 300x
func BenchmarkProxy(b *testing.B) {
	var stream strings.Builder
	for i := range 100 {
		fmt.Fprintf(&stream, "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word %d \"}}]}\n\n", i)
	}
	stream.WriteString("data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for event := range strings.SplitAfterSeq(stream.String(), "\n\n") {
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	b.Cleanup(provider.Close)
	for _, n := range []int{100, 500} {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			body := benchRequest(n)
			proxied := startProxy(b, b.TempDir(), provider.URL)
			var direct, through benchTimes
			through.ask(b, proxied.url, body) // opens the task
			direct, through = benchTimes{}, benchTimes{}
			for b.Loop() {
				direct.ask(b, provider.URL+"/chat/completions", body)
				through.ask(b, proxied.url, body)
			}
			for _, m := range []struct {
				name         string
				direct, with []time.Duration
			}{{"first", direct.first, through.first}, {"whole", direct.whole, through.whole}} {
				for _, p := range []int{50, 95} {
					b.ReportMetric(milliseconds(m.with, p)-milliseconds(m.direct, p), fmt.Sprintf("ms-%s-added-p%d", m.name, p))
					b.ReportMetric(milliseconds(m.direct, p), fmt.Sprintf("ms-%s-direct-p%d", m.name, p))
				}
			}
			b.ReportMetric(0, "ns/op") // of both together, which says nothing
		})
	}
}

// benchTimes are how long answers took, from the request on.
type benchTimes struct{ first, whole []time.Duration }

func (t *benchTimes) ask(b *testing.B, url string, body []byte) {
	begin := time.Now()
	resp, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		b.Fatal(err)
	}
	t.first = append(t.first, time.Since(begin))
	if rest, err := io.ReadAll(resp.Body); err != nil || !bytes.HasSuffix(rest, []byte("[DONE]\n\n")) {
		b.Fatalf("got %q (%v), want a whole stream", rest, err)
	}
	t.whole = append(t.whole, time.Since(begin))
}

// milliseconds returns a percentile.
func milliseconds(times []time.Duration, p int) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return float64(sorted[(len(sorted)-1)*p/100].Microseconds()) / 1000
}

package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/learned"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/ranker/static"
	"github.com/winnow-mcp/winnow/router"
)

// TestStore_prepare: of few tools nothing is built before a task asks; of many it is, of
// the newest list.
func TestStore_prepare(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	known, err := learned.Open("", log, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	c := NewStore(StoreOptions{Log: log, Settings: settings.NewStore(), Learned: known})
	read, load := make(chan struct{}), c.builtin.load
	tell := sync.OnceFunc(func() { close(read) })
	c.builtin.load = func() *static.Model { tell(); return load() }
	publish := func(tools int) *router.Catalog {
		list := make([]json.RawMessage, tools)
		for i := range list {
			list[i] = fmt.Appendf(nil, `{"name":"tool_%d","inputSchema":{"type":"object"}}`, i)
		}
		catalog := c.publish(router.CatalogInput{Source: "host", Verbatim: true, Servers: []router.ServerInput{{Name: "s", Tools: list}}})
		c.prepare(catalog)
		return catalog
	}
	publish(manyTools - 1)
	if len(c.ahead) != 0 {
		t.Error("few tools are prepared")
	}
	publish(manyTools)
	newest := publish(manyTools + 1)
	if got := <-c.ahead; got != newest {
		t.Errorf("version %d is prepared, want %d", got.Version, newest.Version)
	}
	c.prepare(newest)
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); c.Run(ctx) }()
	<-read
	end()
	<-ended
}

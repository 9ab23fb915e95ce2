package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Limits on what one server may list. They bound the cost of a broken server; the largest
// known list has about 2,000 tools in 6 MB.
const (
	maxPages     = 200
	maxTools     = 10_000
	maxListBytes = 64 << 20
)

// Listing is a server's complete list of tools.
type Listing struct {
	Tools    []Tool
	Warnings []string
	// Ttl is the lifetime that the server gives the list: the shortest of its pages, 0 if
	// it gives none.
	Ttl time.Duration
}

// Equal reports whether two listings show the same tools in the same order.
func (l Listing) Equal(other []Tool) bool {
	if len(l.Tools) != len(other) {
		return false
	}
	for i, tool := range l.Tools {
		if !bytes.Equal(tool.Raw, other[i].Raw) {
			return false
		}
	}
	return true
}

// page is one response to tools/list.
type page struct {
	Tools      []json.RawMessage
	NextCursor string
	ttl        time.Duration
	warnings   []string
}

// parsePage decodes a response to tools/list. A cursor that is not a string is ignored.
func parsePage(answer json.RawMessage) (page, error) {
	var raw struct {
		Tools      []json.RawMessage `json:"tools"`
		NextCursor any               `json:"nextCursor"`
	}
	if err := json.Unmarshal(answer, &raw); err != nil {
		return page{}, fmt.Errorf("tools/list: %w", clean.ErrNotObject)
	}
	cursor, _ := raw.NextCursor.(string)
	return page{Tools: raw.Tools, NextCursor: cursor, ttl: timeToLive(answer)}, nil
}

// collectTools collects the tools of all pages that fetch returns. It stops at the limits
// and at a repeated cursor, and adds a warning. A broken entry is dropped alone.
func collectTools(ctx context.Context, fetch func(ctx context.Context, cursor string) (page, error)) (Listing, error) {
	c := collector{seen: map[string]bool{}}
	cursors := map[string]bool{"": true}
	cursor := ""
	for pages := 1; ; pages++ {
		p, err := fetch(ctx, cursor)
		if err != nil {
			return Listing{}, err
		}
		c.out.Warnings = append(c.out.Warnings, p.warnings...)
		if pages == 1 || p.ttl < c.out.Ttl {
			c.out.Ttl = p.ttl
		}
		full := c.add(p.Tools)
		switch {
		case full || p.NextCursor == "":
			return c.done(), nil
		case c.entries >= maxTools:
			c.warn("more than %d tools are listed; the pages after them are not read", maxTools)
			return c.done(), nil
		case cursors[p.NextCursor]:
			c.warn("tools/list repeats the cursor %.40q; the pages after it are not read", p.NextCursor)
			return c.done(), nil
		case pages == maxPages:
			c.warn("tools/list has more than %d pages; the rest is not read", maxPages)
			return c.done(), nil
		}
		cursor = p.NextCursor
		cursors[cursor] = true
	}
}

// collector collects tools under the limits.
type collector struct {
	out        Listing
	seen       map[string]bool
	bytes      int
	entries    int // including entries that are not used
	duplicates int
	nameless   int
}

func (c *collector) warn(format string, args ...any) {
	c.out.Warnings = append(c.out.Warnings, fmt.Sprintf(format, args...))
}

// add adds the tools of one page. It reports whether a limit was reached.
func (c *collector) add(tools []json.RawMessage) (full bool) {
	c.entries += len(tools)
	for _, raw := range tools {
		raw, hides := c.unhide(raw)
		name, err := toolName(raw)
		switch {
		case err != nil:
			c.nameless++
			continue
		case c.seen[name]:
			c.duplicates++
			if c.duplicates == 1 {
				c.warn("tool %.80q is listed more than once; the first one is used", name)
			}
			continue
		case len(c.out.Tools) == maxTools:
			c.warn("more than %d tools are listed; the rest is not used", maxTools)
			return true
		case c.bytes+len(raw) > maxListBytes:
			c.warn("the tools have more than %d MB of JSON; those from %.80q on are not used", maxListBytes>>20, name)
			return true
		case ijson.Depth(raw) > ijson.MaxToolDepth:
			c.warn("tool %.80q is not used: it is nested deeper than %d levels", name, ijson.MaxToolDepth)
			continue
		case hides.err != nil:
			c.warn("tool %.80q is not used: %v", name, hides.err)
			continue
		}
		if hides.found.Any() {
			c.warn("tool %.80q: %s", name, clean.HiddenWarning(hides.found))
		}
		c.seen[name] = true
		c.bytes += len(raw)
		c.out.Tools = append(c.out.Tools, Tool{Name: name, Raw: raw})
	}
	return false
}

func (c *collector) done() Listing {
	if c.duplicates > 1 {
		c.warn("%d tools in all are listed more than once", c.duplicates)
	}
	if c.nameless > 0 {
		c.warn("%d entries of tools/list are not tools: they are no objects or have no name", c.nameless)
	}
	return c.out
}

// toolName returns the name of a tool, the only field that this package needs.
func toolName(raw json.RawMessage) (string, error) {
	name := ""
	if err := ijson.Each(raw, func(member []byte, value json.RawMessage) {
		if string(member) == "name" {
			name = ijson.Text(value)
		}
	}); err != nil {
		return "", err
	}
	if name == "" {
		return "", errors.New("no name")
	}
	return name, nil
}

// keep drops the tools that must not be called, with a warning; see [session.mirror].
func (p *page) keep(check func(tool json.RawMessage) error) {
	p.Tools = slices.DeleteFunc(p.Tools, func(raw json.RawMessage) bool {
		err := check(raw)
		if err != nil {
			name, _ := toolName(raw)
			p.warnings = append(p.warnings, fmt.Sprintf("tool %.80q is not used: %v", name, err))
		}
		return err != nil
	})
}

// hides is the hidden text found in one tool. err is set if it cannot be removed.
type hides struct {
	found hiddentext.Found
	err   error
}

// unhide returns a tool without hidden text. Anything else is unchanged.
func (c *collector) unhide(raw json.RawMessage) (json.RawMessage, hides) {
	clean, found, err := hiddentext.Descriptions(raw)
	return clean, hides{found, err}
}

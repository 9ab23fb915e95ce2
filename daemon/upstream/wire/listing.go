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

// Limits on what one server may list. No server seen in the wild comes near
// them (the largest has about 2,000 tools in 6 MB); they bound what a broken
// one can cost.
const (
	maxPages     = 200
	maxTools     = 10_000
	maxListBytes = 64 << 20
)

// Listing is a server's complete list of tools.
type Listing struct {
	Tools    []Tool
	Warnings []string
	// Ttl is how long the server says it stays as it is, the shortest of its
	// pages'; 0 when it does not say.
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

// page is one answer to tools/list.
type page struct {
	Tools      []json.RawMessage
	NextCursor string
	ttl        time.Duration
	warnings   []string
}

// parsePage reads an answer to tools/list. A cursor that is no text is none.
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

// collectTools follows the pages that fetch returns and gathers their tools.
// It stops at the limits, and at a cursor that was followed before, and says
// so in the listing's warnings; a broken entry costs that entry only.
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

// collector gathers tools under the limits.
type collector struct {
	out        Listing
	seen       map[string]bool
	bytes      int
	entries    int // with those that are not used
	duplicates int
	nameless   int
}

func (c *collector) warn(format string, args ...any) {
	c.out.Warnings = append(c.out.Warnings, fmt.Sprintf(format, args...))
}

// add takes the tools of one page; it reports true when a limit was reached.
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

// toolName reads the only field of a tool that this package needs.
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

// keep drops the tools that must not be called, see [session.mirror], and says
// so.
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

// hides is what was found in one tool. err is set where it cannot be taken out.
type hides struct {
	found hiddentext.Found
	err   error
}

// unhide returns a tool without hidden text. Anything but a tool stays as it is.
func (c *collector) unhide(raw json.RawMessage) (json.RawMessage, hides) {
	clean, found, err := hiddentext.Descriptions(raw)
	return clean, hides{found, err}
}

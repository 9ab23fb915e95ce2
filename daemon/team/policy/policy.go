// Package policy decides which tools exist for whom, by the team's Cedar policies. Lists,
// searches and calls use the same decision.
//
// A principal is User::"<subject>" in Group::"<name>" for each group of the token. The
// action is Action::"call". The resource is Tool::"<server>/<tool>" in
// Server::"<server>", with the attributes server and name, and the server's annotations
// readOnly, destructive, idempotent and openWorld, with MCP's defaults. What no policy
// permits does not exist. A forbid overrides any permit. A tool for which a condition has
// an error does not exist either.
package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cedar-policy/cedar-go"

	"github.com/winnow-mcp/winnow/router"
)

// Policies holds those of one applied document. It is immutable and safe for concurrent
// use.
type Policies struct {
	set *cedar.PolicySet
	// users holds the users that policies name: each is a class of their own.
	users map[string]bool
	// gone holds the withdrawn tools, as `server/tool`, and servers.
	gone map[string]bool
	// servers holds those of the document.
	servers map[string]bool

	// mu guards classes, which caches the requested classes.
	mu      sync.Mutex
	classes map[string]*router.Mode
}

// maxClasses bounds the cached classes.
const maxClasses = 1024

// Parse parses policies. Withdrawn tools and servers, and servers outside the document,
// exist for no user.
func Parse(text string, servers, withdrawn []string) (*Policies, error) {
	set, err := cedar.NewPolicySetFromBytes("policies", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("policies: %w", err)
	}
	p := &Policies{set: set, users: map[string]bool{}, gone: setOf(withdrawn), servers: setOf(servers), classes: map[string]*router.Mode{}}
	whole, err := json.Marshal(set)
	if err != nil {
		return nil, fmt.Errorf("policies: %w", err)
	}
	var tree any
	if err := json.Unmarshal(whole, &tree); err != nil {
		return nil, fmt.Errorf("policies: %w", err)
	}
	p.noteUsers(tree)
	return p, nil
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// noteUsers collects the users that a tree of policies names.
func (p *Policies) noteUsers(node any) {
	switch node := node.(type) {
	case map[string]any:
		if id, ok := node["id"].(string); ok && node["type"] == "User" {
			p.users[id] = true
		}
		for _, child := range node {
			p.noteUsers(child)
		}
	case []any:
		for _, child := range node {
			p.noteUsers(child)
		}
	}
}

// class is what the policies can distinguish of a user.
type class struct {
	// User is "" if no policy names them.
	User   string   `json:"user,omitempty"`
	Groups []string `json:"groups"`
}

// ClassOf returns the name of a user's class. Users of one class have the same tools.
func (p *Policies) ClassOf(user string, groups []string) string {
	c := class{Groups: slices.Compact(slices.Sorted(slices.Values(groups)))}
	if p.users[user] {
		c.User = user
	}
	name, _ := json.Marshal(c) // strings only
	return string(name)
}

// Mode returns what exists for a class, always the same pointer.
func (p *Policies) Mode(name string) (*router.Mode, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if mode := p.classes[name]; mode != nil {
		return mode, nil
	}
	var c class
	if err := json.Unmarshal([]byte(name), &c); err != nil {
		return nil, fmt.Errorf("a class of users is not named so: %w", err)
	}
	if len(p.classes) >= maxClasses {
		clear(p.classes)
	}
	d := &decider{policies: p, principal: cedar.NewEntityUID("User", cedar.String(c.User)), decided: map[router.ToolID]decided{}}
	var groups []cedar.EntityUID
	for _, group := range c.Groups {
		groups = append(groups, cedar.NewEntityUID("Group", cedar.String(group)))
	}
	d.user = cedar.Entity{UID: d.principal, Parents: cedar.NewEntityUIDSet(groups...)}
	mode := &router.Mode{Class: &router.Class{Tool: d.permits, Server: func(string) bool { return false }}}
	p.classes[name] = mode
	return mode, nil
}

// decider decides for one class and caches the decision for each tool.
type decider struct {
	policies  *Policies
	principal cedar.EntityUID
	user      cedar.Entity

	// mu guards decided.
	mu      sync.Mutex
	decided map[router.ToolID]decided
}

// decided is a decision, and the annotations that it was based on.
type decided struct {
	annotations string
	permitted   bool
}

func (d *decider) permits(t *router.Tool) bool {
	p := d.policies
	if !p.servers[t.ID.Server] || p.gone[t.ID.Server] || p.gone[t.ID.String()] {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if before, ok := d.decided[t.ID]; ok && before.annotations == string(t.Annotations) {
		return before.permitted
	}
	permitted := d.decide(t)
	d.decided[t.ID] = decided{string(t.Annotations), permitted}
	return permitted
}

func (d *decider) decide(t *router.Tool) bool {
	var said struct {
		ReadOnly    *bool `json:"readOnlyHint"`
		Destructive *bool `json:"destructiveHint"`
		Idempotent  *bool `json:"idempotentHint"`
		OpenWorld   *bool `json:"openWorldHint"`
	}
	if len(t.Annotations) > 0 && json.Unmarshal(t.Annotations, &said) != nil {
		said.ReadOnly, said.Destructive, said.Idempotent, said.OpenWorld = nil, nil, nil, nil
	}
	hint := func(said *bool, otherwise bool) cedar.Boolean { return cedar.Boolean(*cmp.Or(said, &otherwise)) }
	server := cedar.NewEntityUID("Server", cedar.String(t.ID.Server))
	tool := cedar.Entity{
		UID:     cedar.NewEntityUID("Tool", cedar.String(t.ID.String())),
		Parents: cedar.NewEntityUIDSet(server),
		Attributes: cedar.NewRecord(cedar.RecordMap{
			"server": cedar.String(t.ID.Server), "name": cedar.String(t.ID.Tool),
			"readOnly": hint(said.ReadOnly, false), "destructive": hint(said.Destructive, true),
			"idempotent": hint(said.Idempotent, false), "openWorld": hint(said.OpenWorld, true),
		}),
	}
	decision, diagnostics := cedar.Authorize(d.policies.set, cedar.EntityMap{d.principal: d.user, tool.UID: tool, server: {UID: server}}, cedar.Request{
		Principal: d.principal, Action: cedar.NewEntityUID("Action", "call"), Resource: tool.UID, Context: cedar.NewRecord(nil),
	})
	// Cedar skips a forbid whose condition has an error.
	return decision == cedar.Allow && len(diagnostics.Errors) == 0
}

// Withdrawn returns a sorted list of withdrawals with an entry added or removed, and
// whether that changes it.
func Withdrawn(list []string, entry string, gone bool) (next []string, changed bool) {
	next = slices.DeleteFunc(slices.Clone(list), func(one string) bool { return one == entry })
	if gone {
		next = append(next, entry)
	}
	slices.SortFunc(next, strings.Compare)
	return next, slices.Contains(list, entry) != gone
}

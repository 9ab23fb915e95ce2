package team

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/policy"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/protocol"
)

// document is what a team has applied: servers, and who may use what of them.
type document struct {
	// Config is a winnow.json as it was written: servers, and settings.
	Config string `json:"config"`
	// Policies are in Cedar.
	Policies string `json:"policies"`
	// Withdrawn are servers, and tools as `server/tool`, that nobody may use.
	Withdrawn []string `json:"withdrawn,omitzero"`
	// Team is a team.json: see [teamFile].
	Team string `json:"team,omitzero"`
}

// teamFile is what a team says of itself besides servers and policies.
type teamFile struct {
	// Accounts say by whose account users reach a server, by its name; without one
	// it is what the server's headers say.
	Accounts map[string]vault.Account `json:"accounts"`
	Quotas   quotaFile                `json:"quotas"`
}

// configName and teamName name the files of a document in messages.
const (
	configName = "winnow.json"
	teamName   = "team.json"
)

// checked is a document that can be put into force.
type checked struct {
	document

	n        int64
	policies *policy.Policies
	team     teamFile
	// urls are the addresses of the servers that have accounts.
	urls map[string]string
	// programs are the servers that holders run.
	programs map[string]config.Entry
	// exchanges: tokens of users are exchanged for a server's.
	exchanges bool
}

// check reads a document. What a replica could not follow is an error.
func check(d document) (*checked, error) {
	file := config.Parse(config.Source{Path: configName, Dialect: config.Winnow}, []byte(d.Config))
	var problems []error
	for _, p := range file.Problems {
		if p.Severity == config.Error {
			problems = append(problems, errors.New(p.String()))
		}
	}
	c := &checked{document: d, urls: map[string]string{}, programs: map[string]config.Entry{}}
	if d.Team != "" {
		in := json.NewDecoder(strings.NewReader(d.Team))
		in.DisallowUnknownFields()
		if err := in.Decode(&c.team); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", teamName, err))
		}
	}
	var servers []string
	for _, e := range file.Entries {
		c.urls[e.Name] = e.Definition.URL
		if e.Definition.Transport == config.Stdio {
			c.programs[e.Name] = e
		}
		servers = append(servers, e.Name)
	}
	if len(file.Modes) > 0 {
		problems = append(problems, fmt.Errorf("%s: modes are for one user: say by policies who has what", configName))
	}
	problems = append(problems, c.checkAccounts()...)
	var err error
	c.policies, err = policy.Parse(d.Policies, servers, d.Withdrawn)
	if err := errors.Join(append(problems, err)...); err != nil {
		return nil, err
	}
	return c, nil
}

// checkAccounts says what is wrong with the accounts.
func (c *checked) checkAccounts() (problems []error) {
	for name, a := range c.team.Accounts {
		address := c.urls[name]
		c.exchanges = c.exchanges || a.By == vault.ByExchange
		switch {
		case address == "":
			problems = append(problems, fmt.Errorf("%s: accounts: %s has no server %q with a url", teamName, configName, name))
		case strings.Contains(address, "${"):
			problems = append(problems, fmt.Errorf("%s: accounts: the url of server %q holds a variable: write it out, since credentials are for one address", teamName, name))
		case a.By != vault.ByUser && a.By != vault.ByExchange && a.By != vault.ByService:
			problems = append(problems, fmt.Errorf("%s: accounts: server %q: \"by\" is %q, not %q, %q or %q", teamName, name, a.By, vault.ByUser, vault.ByExchange, vault.ByService))
		case a.By != vault.ByUser && a.ClientID == "":
			problems = append(problems, fmt.Errorf("%s: accounts: server %q: by %s takes a \"clientId\", as it is registered with the authorization server", teamName, name, a.By))
		case a.Issuer == "" && (a.By == vault.ByExchange || a.ClientSecret != ""):
			problems = append(problems, fmt.Errorf("%s: accounts: server %q: write its \"issuer\": without it the server itself would name who gets users' tokens and the client's secret", teamName, name))
		}
	}
	return problems
}

// gone reports whether a whole server was withdrawn.
func (c *checked) gone(server string) bool { return slices.Contains(c.Withdrawn, server) }

// forGateway is the winnow.json as gateways read it: programs are at a holder.
func (c *checked) forGateway() ([]byte, error) {
	if len(c.programs) == 0 {
		return []byte(c.Config), nil
	}
	text, syntax := jsonc.Parse([]byte(c.Config))
	if syntax != nil {
		return nil, syntax
	}
	var root map[string]any
	if err := json.Unmarshal(text.Alone(text.Root), &root); err != nil {
		return nil, err
	}
	servers, _ := root["servers"].(map[string]any)
	for name := range c.programs {
		entry, _ := servers[name].(map[string]any)
		for _, key := range []string{"command", "args", "cwd", "env", "envFile", "sandbox", "share"} {
			delete(entry, key)
		}
		entry["type"], entry["url"] = "http", addressOf(name)
	}
	return json.Marshal(root)
}

// account returns the account of a server, and its address.
func (c *checked) account(server string) (a vault.Account, url string, ok bool) {
	a, ok = c.team.Accounts[server]
	return a, c.urls[server], ok
}

// load reads a document that was applied; 0 is the newest. Before any was, there
// are no servers.
func load(ctx context.Context, store *pg.Store, n int64) (*checked, error) {
	found, err := store.Document(ctx, n)
	d := document{Config: "{}"}
	switch {
	case errors.Is(err, pg.ErrNoDocument) && n == 0:
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal([]byte(found.Text), &d); err != nil {
			return nil, fmt.Errorf("the applied document %d cannot be read: %w", found.N, err)
		}
	}
	c, err := check(d)
	if err != nil {
		return nil, fmt.Errorf("the applied document %d: %w", found.N, err)
	}
	c.n = found.N
	return c, nil
}

// apply makes a document the newest, after another.
func apply(ctx context.Context, store *pg.Store, after int64, d document, by string) (n int64, err error) {
	if _, err := check(d); err != nil {
		return 0, err
	}
	text, err := json.Marshal(d)
	if err != nil {
		return 0, err
	}
	return store.Apply(ctx, after, string(text), by)
}

// Admin is what an operator does, by a command, on the database that the
// replicas follow.
type Admin struct {
	*pg.Store

	// By is who does it.
	By string
}

// ApplyFiles applies a winnow.json, policies and a team.json, which may be empty,
// and returns the number of the version. What was withdrawn before stays so.
func (a Admin) ApplyFiles(ctx context.Context, winnow, policies, team string) (n int64, err error) {
	now, err := a.newest(ctx)
	if err != nil {
		return 0, err
	}
	return apply(ctx, a.Store, now.n, document{Config: winnow, Policies: policies, Team: team, Withdrawn: now.Withdrawn}, a.By)
}

// Back applies an older version anew, with what was withdrawn then.
func (a Admin) Back(ctx context.Context, to int64) (n int64, err error) {
	older, err := load(ctx, a.Store, to)
	if err != nil {
		return 0, fmt.Errorf("version %d: %w", to, err)
	}
	now, err := a.newest(ctx)
	if err != nil {
		return 0, err
	}
	return apply(ctx, a.Store, now.n, older.document, a.By)
}

// Connect returns the address of the page at which the operator connects the account
// by which the gateways themselves speak to a server, to list its tools.
func (a Admin) Connect(ctx context.Context, server, resource string, ring *vault.Ring) (page string, err error) {
	now, err := a.newest(ctx)
	if err != nil {
		return "", err
	}
	c, err := check(now.document)
	if err != nil {
		return "", err
	}
	_, base, err := baseOf(resource)
	if err != nil {
		return "", err
	}
	return vault.New(vault.Options{Ring: ring, Base: base, Account: c.account}).Page(vault.Key{Principal: vault.Team, Server: server})
}

// Review returns what waits of a server, or of one of its tools; of all where what is
// empty.
func (a Admin) Review(ctx context.Context, what string) ([]pg.Waiting, error) {
	server, tool, one := strings.Cut(what, "/")
	waiting, err := a.Waits(ctx, server)
	return slices.DeleteFunc(waiting, func(w pg.Waiting) bool { return one && w.Key != lock.KeyOf(protocol.LockTool, tool) }), err
}

// Seen returns a hash of what was shown of a server as waiting, in hexadecimal.
func Seen(waiting []pg.Waiting) string {
	h := sha256.New()
	for _, w := range waiting {
		fmt.Fprintf(h, "%q %q %q %q\n", w.Folder, w.Server, w.Key, w.Raw)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Approve approves what waits of a server, or of one of its tools, and gives back
// what was withdrawn of it. It returns what it has done, a line each. seen is the
// [Seen] of what was reviewed: where something else waits by now, nothing is done.
func (a Admin) Approve(ctx context.Context, what, seen string) (done []string, err error) {
	server, _, _ := strings.Cut(what, "/")
	now, err := a.newest(ctx)
	if err != nil {
		return nil, err
	}
	waiting, err := a.Review(ctx, what)
	if err != nil {
		return nil, err
	}
	if len(waiting) > 0 && seen != Seen(waiting) {
		return nil, fmt.Errorf("what waits of %q is not what --seen names; look at it by: winnowteam review %s, which says at its end how to approve just that", what, what)
	}
	withdrawn := slices.Contains(now.Withdrawn, what)
	if len(waiting) == 0 && !withdrawn {
		return nil, fmt.Errorf("nothing of %q waits for an approval, or was revoked", what)
	}
	if len(waiting) > 0 {
		if err := a.Records().Approve(ctx, waiting); err != nil {
			return nil, err
		}
		var names []string
		for _, w := range waiting {
			names = append(names, string(w.Key))
		}
		done = append(done, fmt.Sprintf("approved %d of server %q: %s", len(names), server, strings.Join(names, " ")))
		err := a.Journal().Append(ctx, []journal.Entry{{
			Time: time.Now(), Kind: journal.Approval, Principal: principal.Principal{Subject: a.By}, Server: server, Outcome: "approved", By: "operator",
			Detail: strings.Join(names, " "),
		}})
		if err != nil {
			return done, err
		}
	}
	if withdrawn {
		n, err := a.Withdraw(ctx, what, false)
		if err != nil {
			return done, err
		}
		done = append(done, fmt.Sprintf("given back %s: version %d", what, n))
	}
	return done, nil
}

// newest is the newest version, which need not be one that can be put into force:
// who mends it has to be able to.
func (a Admin) newest(ctx context.Context) (*checked, error) {
	found, err := a.Document(ctx, 0)
	if errors.Is(err, pg.ErrNoDocument) {
		return &checked{}, nil
	}
	now := &checked{n: found.N}
	if err == nil {
		err = json.Unmarshal([]byte(found.Text), &now.document)
	}
	return now, err
}

// Withdraw takes a server, or a tool as `server/tool`, from everybody, or gives it
// back to those whom the policies let have it. It returns the number of the
// version.
func (a Admin) Withdraw(ctx context.Context, what string, gone bool) (n int64, err error) {
	now, err := a.newest(ctx)
	if err != nil {
		return 0, err
	}
	if gone {
		file := config.Parse(config.Source{Path: configName, Dialect: config.Winnow}, []byte(now.Config))
		if !slices.ContainsFunc(file.Entries, func(e config.Entry) bool { return what == e.Name || strings.HasPrefix(what, e.Name+"/") }) {
			return 0, fmt.Errorf("%q begins with the name of no server of version %d; write SERVER or SERVER/TOOL", what, now.n)
		}
	}
	next, changed := policy.Withdrawn(now.Withdrawn, what, gone)
	if !changed {
		if gone {
			return now.n, nil
		}
		return 0, fmt.Errorf("%q is not withdrawn; withdrawn are %q", what, now.Withdrawn)
	}
	now.Withdrawn = next
	text, err := json.Marshal(now.document)
	if err != nil {
		return 0, err
	}
	return a.Apply(ctx, now.n, string(text), a.By)
}

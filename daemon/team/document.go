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

// document is what a team has applied: servers, and who may use them.
type document struct {
	// Config is a winnow.json as written: servers and settings.
	Config string `json:"config"`
	// Policies are in Cedar.
	Policies string `json:"policies"`
	// Withdrawn holds servers, and tools as `server/tool`, that no one may use.
	Withdrawn []string `json:"withdrawn,omitzero"`
	// Team is a team.json: see [teamFile].
	Team string `json:"team,omitzero"`
}

// teamFile holds a team's settings besides servers and policies.
type teamFile struct {
	// Accounts says, by server name, by whose account users reach it. Otherwise the
	// server's headers apply.
	Accounts map[string]vault.Account `json:"accounts"`
	Quotas   quotaFile                `json:"quotas"`
}

// configName and teamName name the files of a document in messages.
const (
	configName = "winnow.json"
	teamName   = "team.json"
)

// checked is a valid document.
type checked struct {
	document

	n int64
	// since is when it came into force at this replica.
	since    time.Time
	policies *policy.Policies
	team     teamFile
	// urls holds the addresses of the servers that have accounts.
	urls map[string]string
	// programs holds the servers that holders run.
	programs map[string]config.Entry
	// exchanges reports that users' tokens are exchanged for a server's.
	exchanges bool
}

// check validates a document. It returns an error if a replica could not follow it.
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

// checkAccounts returns the problems of the accounts.
func (c *checked) checkAccounts() (problems []error) {
	for name, a := range c.team.Accounts {
		address := c.urls[name]
		exchanged := a.By == vault.ByExchange || a.By == vault.ByAssertion
		c.exchanges = c.exchanges || exchanged
		switch {
		case address == "":
			problems = append(problems, fmt.Errorf("%s: accounts: %s has no server %q with a url", teamName, configName, name))
		case strings.Contains(address, "${"):
			problems = append(problems, fmt.Errorf("%s: accounts: the url of server %q holds a variable: write it out, since credentials are for one address", teamName, name))
		case a.By != vault.ByUser && !exchanged && a.By != vault.ByService:
			problems = append(problems, fmt.Errorf("%s: accounts: server %q: \"by\" is %q, not %q, %q, %q or %q",
				teamName, name, a.By, vault.ByUser, vault.ByExchange, vault.ByAssertion, vault.ByService))
		case a.By != vault.ByUser && a.ClientID == "":
			problems = append(problems, fmt.Errorf("%s: accounts: server %q: by %s takes a \"clientId\", as it is registered with the authorization server", teamName, name, a.By))
		case a.Issuer == "" && (exchanged || a.ClientSecret != ""):
			problems = append(problems, fmt.Errorf("%s: accounts: server %q: write its \"issuer\": without it the server itself would name who gets users' tokens and the client's secret", teamName, name))
		}
	}
	return problems
}

// gone reports whether a whole server is withdrawn.
func (c *checked) gone(server string) bool { return slices.Contains(c.Withdrawn, server) }

// forGateway returns the winnow.json for gateways, with programs replaced by holders.
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

// load reads an applied document; 0 means the newest. If none was applied, there are no
// servers.
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

// apply makes a document the newest, if the newest is after.
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

// Admin holds an operator's commands, which act on the replicas' database.
type Admin struct {
	*pg.Store

	// By identifies the operator.
	By string
}

// ApplyFiles applies a winnow.json, policies and a team.json, which may be "", and
// returns the version's number. Withdrawals stay.
func (a Admin) ApplyFiles(ctx context.Context, winnow, policies, team string) (n int64, err error) {
	now, err := a.newest(ctx)
	if err != nil {
		return 0, err
	}
	return apply(ctx, a.Store, now.n, document{Config: winnow, Policies: policies, Team: team, Withdrawn: now.Withdrawn}, a.By)
}

// Back applies an older version again, with its withdrawals.
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

// Connect returns the address of the page at which the operator connects the account by
// which the gateways themselves list a server's tools.
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

// Review returns what waits for approval of a server or one of its tools; of all if what
// is "".
func (a Admin) Review(ctx context.Context, what string) ([]pg.Waiting, error) {
	server, tool, one := strings.Cut(what, "/")
	waiting, err := a.Waits(ctx, server)
	return slices.DeleteFunc(waiting, func(w pg.Waiting) bool { return one && w.Key != lock.KeyOf(protocol.LockTool, tool) }), err
}

// Seen returns a hash of the shown waiting items, in hexadecimal.
func Seen(waiting []pg.Waiting) string {
	h := sha256.New()
	for _, w := range waiting {
		fmt.Fprintf(h, "%q %q %q %q\n", w.Folder, w.Server, w.Key, w.Raw)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Approve approves what waits of a server or one of its tools, and ends its withdrawal.
// It returns what it did, one line each. seen is the [Seen] of the reviewed items: if
// other items wait now, Approve does nothing.
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

// newest returns the newest version, even an invalid one, so that an operator can repair
// it.
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

// Withdraw withdraws a server, or a tool as `server/tool`, for all users, or ends the
// withdrawal. It returns the version's number.
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

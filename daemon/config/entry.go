package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// Bounds of a call's timeout, as in Roo Code.
const (
	minTimeout = time.Second
	maxTimeout = time.Hour
)

// entryDecoder decodes one server entry.
type entryDecoder struct {
	*decoder
	entry Entry
	// kindOf and typeAt are the value of `type` and its place.
	kindOf string
	typeAt place
	// given holds the keys that are present and not null.
	given map[string]place
	// fatal is the first reason why the entry is unusable.
	fatal *Problem
}

// fail reports why the entry is unusable.
func (e *entryDecoder) fail(at place, message, hint string) {
	p := e.report(Error, at, message, hint)
	if e.fatal == nil {
		e.fatal = &p
	}
}

// must makes the entry unusable because of the last problem unless ok. An error in what
// runs, or in what may be called, must not be read as something else.
func (e *entryDecoder) must(ok bool) {
	if !ok && e.fatal == nil {
		p := e.last
		e.fatal = &p
	}
}

func (e *entryDecoder) fields(members []member) {
	for _, m := range members {
		if m.value.kind == kindNull {
			continue // as if omitted, because clients write defaults as null
		}
		if e.traits.nested && m.key == "transport" && m.value.kind == kindObject {
			e.fields(m.value.fields(e.repeated))
			continue
		}
		e.given[m.key] = m.at
		if !e.definitionField(m) && !e.policyField(m) {
			e.otherField(m)
		}
	}
}

// definitionField decodes a key of the definition, and reports whether m is one.
func (e *entryDecoder) definitionField(m member) bool {
	d := &e.entry.Definition
	var ok bool
	switch m.key {
	case "type":
		e.kindOf, ok = e.text(m.key, m.value)
		if e.traits.localType && e.kindOf == "local" {
			e.kindOf = string(protocol.TypeStdio)
		}
		e.typeAt = m.value.at
	case "command":
		d.Command, ok = e.text(m.key, m.value)
	case "args":
		d.Args, ok = e.strings(m.key, m.value)
	case "cwd":
		d.Cwd, ok = e.text(m.key, m.value)
	case "env":
		ok = e.environment(m.value)
	case "envFile":
		d.EnvFile, ok = e.text(m.key, m.value)
	case "url":
		d.URL, ok = e.text(m.key, m.value)
	case "headers":
		d.Headers, ok = e.stringMap(m.key, m.value)
	case "oauth":
		ok = e.oauth(m.value)
	case "sandbox":
		ok = e.sandbox(m)
	case "share":
		d.Share, ok = e.share(m.value)
	default:
		return false
	}
	e.must(ok)
	return true
}

// policyField decodes a key of the policy, and reports whether m is one.
func (e *entryDecoder) policyField(m member) bool {
	p, ok := &e.entry.Policy, true
	switch m.key {
	case "disabled":
		var v bool
		if v, ok = e.flag(m.key, m.value); ok {
			p.Disabled = &v
		}
	case "onlyAllow":
		p.OnlyAllow, ok = e.names(m.key, m.value)
	case "disabledTools":
		p.DisabledTools, ok = e.names(m.key, m.value)
	case "timeout":
		e.timeout(m.value)
	case "toolDescriptionOverrides":
		p.DescriptionOverrides, _ = e.stringMap(m.key, m.value)
	case "alwaysAllow":
		p.AlwaysAllow, _ = e.names(m.key, m.value)
	case "alwaysLoad", "deferred", "deferTools":
		e.alwaysLoad(m)
	default:
		return false
	}
	e.must(ok)
	return true
}

// otherField checks any other key. In Winnow's file it is an error; in another client's
// only if it resembles a key of ours.
func (e *entryDecoder) otherField(m member) {
	switch {
	case m.key == e.traits.toolsKey && e.traits.toolsKey != "":
		e.otherTools(m)
		return
	case e.traits.own && meansSandbox(m.key):
		// The server would run unrestricted instead of sandboxed.
		e.fail(m.at, "unknown key "+e.subject(m.key), hintFor(m.key, EntryKeys()))
		return
	case e.traits.own:
		e.unknown(m, EntryKeys())
		return
	case m.key == sandboxEnabled && m.value.text == "true":
		e.foreignSandbox(m)
		return
	}
	if otherName(m.key) == "deferred" || suggest(m.key, policyKeys()) != "" {
		e.unknown(m, policyKeys())
	}
}

// otherTools warns of a client's own list of tools, which other clients ignore.
func (e *entryDecoder) otherTools(m member) {
	list, ok := e.strings(m.key, m.value)
	if ok && !slices.Contains(list, "*") {
		e.report(Warning, m.at, fmt.Sprintf("%s counts for %s only, and Winnow offers every tool", e.subject(m.key), e.traits.client),
			`write "onlyAllow" beside it, with the same names`)
	}
}

// environment decodes env: strings, numbers, and null to unset a variable.
func (e *entryDecoder) environment(v node) bool {
	members, ok := e.object("env", v)
	d := &e.entry.Definition
	d.Env = make(map[string]string, len(members))
	for _, m := range members {
		switch m.value.kind {
		case kindString, kindNumber:
			d.Env[m.key] = m.value.text
		case kindNull:
			d.UnsetEnv = append(d.UnsetEnv, m.key)
		default:
			e.wrongKind(Error, "env."+m.key, m.value, "a string, a number or null")
			ok = false
		}
	}
	slices.Sort(d.UnsetEnv)
	return ok
}

// oauth decodes a registration with an authorization server. Keys of other clients, such
// as VS Code's enterpriseManaged, are ignored.
func (e *entryDecoder) oauth(v node) bool {
	members, ok := e.object("oauth", v)
	o := &e.entry.Definition.OAuth
	for _, m := range members {
		fieldOK := true
		switch m.key {
		case "clientId":
			o.ClientID, fieldOK = e.text("oauth.clientId", m.value)
		case "clientSecret":
			o.ClientSecret, fieldOK = e.text("oauth.clientSecret", m.value)
		case "authServerMetadataUrl":
			o.AuthServerMetadataURL, fieldOK = e.text("oauth.authServerMetadataUrl", m.value)
		case "clientMetadataUrl":
			o.ClientMetadataURL, fieldOK = e.text("oauth.clientMetadataUrl", m.value)
		case "scopes":
			o.Scopes, fieldOK = e.scopes(m.value)
		case "callbackPort":
			o.CallbackPort, fieldOK = e.port(m.value)
		default:
			if e.traits.own {
				e.unknown(m, oauthKeys())
			}
		}
		e.must(fieldOK)
	}
	return ok
}

// scopes decodes a list of scopes, or one string separated by spaces as in OAuth.
func (e *entryDecoder) scopes(v node) ([]string, bool) {
	if v.kind == kindString {
		return strings.Fields(v.text), true
	}
	return e.strings("oauth.scopes", v)
}

func (e *entryDecoder) port(v node) (int, bool) {
	f, ok := e.number("oauth.callbackPort", v)
	if ok && (f != float64(int(f)) || f < 1 || f > 65535) {
		e.report(Error, v.at, e.subject("oauth.callbackPort")+" must be a port, from 1 to 65535", "")
		return 0, false
	}
	return int(f), ok
}

// timeout decodes the timeout of a call. A value out of bounds means the default.
func (e *entryDecoder) timeout(v node) {
	f, ok := e.number("timeout", v)
	if !ok {
		return
	}
	unit := e.source.Dialect.TimeoutUnit(f)
	// Compared as numbers, because a large one would overflow a duration.
	if f < minTimeout.Seconds() || f*unit.Seconds() > maxTimeout.Seconds() {
		e.report(Error, v.at, e.subject("timeout")+" must be from 1 to 3600 seconds", "the default of 60 seconds is used")
		return
	}
	e.entry.Policy.Timeout = time.Duration(f * float64(unit))
}

// alwaysLoad decodes the three synonyms for tools that are always attached. Any of them
// is enough.
func (e *entryDecoder) alwaysLoad(m member) {
	var load AlwaysLoad
	switch {
	case m.key == "deferTools":
		load.All = e.deferTools(m.value)
	case m.value.kind == kindBool:
		load.All = (m.value.text == "true") == (m.key == "alwaysLoad")
	case m.key == "alwaysLoad" && (m.value.kind == kindList || m.value.kind == kindString):
		load.Tools, _ = e.names(m.key, m.value)
	case m.key == "alwaysLoad":
		e.wrongKind(Error, m.key, m.value, "true, false or a list of tool names")
		return
	default:
		e.wrongKind(Error, m.key, m.value, "true or false")
		return
	}
	if said := e.entry.Policy.AlwaysLoad; said != nil {
		load.All = load.All || said.All
		load.Tools = append(load.Tools, said.Tools...)
	}
	e.entry.Policy.AlwaysLoad = &load
}

// share decodes who uses the same process. An invalid value shares nothing.
func (e *entryDecoder) share(v node) (protocol.ServerShare, bool) {
	share := protocol.ServerShare(v.text)
	if v.kind != kindString || share != protocol.ShareUser && share != protocol.ShareFolder && share != protocol.ShareClient {
		e.report(Error, v.at, e.subject("share")+` must be "user", "folder" or "client"`, "")
		return "", false
	}
	return share, true
}

func (e *entryDecoder) deferTools(v node) bool {
	if v.kind != kindString || v.text != string(protocol.DeferAuto) && v.text != string(protocol.DeferNever) {
		e.report(Error, v.at, e.subject("deferTools")+` must be "auto" or "never"`, `"auto" is used`)
	}
	return v.text == string(protocol.DeferNever)
}

// EntryKeys returns the keys of an entry that Winnow reads.
func EntryKeys() []string { return append(definitionKeys(), policyKeys()...) }

// definitionKeys returns the keys of a server's definition.
func definitionKeys() []string {
	return []string{"type", "command", "args", "cwd", "env", "envFile", "url", "headers", "oauth", "sandbox", "share"}
}

// policyKeys returns the keys of a server's policy.
func policyKeys() []string {
	return []string{
		"disabled", "timeout", "onlyAllow", "disabledTools", "toolDescriptionOverrides",
		"alwaysLoad", "deferred", "deferTools", "alwaysAllow",
	}
}

func oauthKeys() []string {
	return []string{"clientId", "clientSecret", "scopes", "callbackPort", "authServerMetadataUrl", "clientMetadataUrl"}
}

package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// check determines the transport and reports conflicting keys.
func (e *entryDecoder) check(at place) {
	_, command := e.given["command"]
	_, address := e.given["url"]
	switch {
	case command && address:
		e.fail(e.given["url"], fmt.Sprintf("server %q has both \"command\" and \"url\"", e.server), "keep command for a local program, or url for a remote server")
	case command:
		e.checkCommand()
	case address:
		e.checkURL()
	default:
		e.checkPolicyOnly(at)
	}
}

func (e *entryDecoder) checkCommand() {
	e.entry.Definition.Transport = Stdio
	if e.kindOf != "" && e.kindOf != string(protocol.TypeStdio) {
		e.fail(e.typeAt, fmt.Sprintf("server %q has a \"command\", so its type must be stdio", e.server), `write "type": "stdio" or leave type out`)
	}
	if strings.TrimSpace(e.entry.Definition.Command) == "" && e.fatal == nil {
		e.fail(e.given["command"], e.subject("command")+" is empty", "write the program to run")
	}
	e.ignored("headers", "a server on stdio")
}

func (e *entryDecoder) checkURL() {
	e.entry.Definition.Transport = e.remoteTransport()
	if raw := e.entry.Definition.URL; e.fatal == nil && !e.traits.variables.pattern().MatchString(raw) {
		u, err := url.Parse(raw)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			e.fail(e.given["url"], e.subject("url")+" is not an http or https address", `write it in full: "https://…"`)
		}
	}
	for _, key := range []string{"args", "cwd", "env", "envFile", "sandbox"} {
		e.ignored(key, "a remote server")
	}
}

// remoteTransport reads `type` as the clients write it.
func (e *entryDecoder) remoteTransport() Transport {
	switch e.kindOf {
	case "":
		if _, given := e.given["type"]; !given && e.traits.urlNeedsType {
			e.fail(e.given["url"], fmt.Sprintf("server %q has a \"url\" but no \"type\", which %s refuses", e.server, e.traits.client), `add "type": "streamable-http" or "type": "sse"`)
		}
		return HTTP
	case "http", "streamable-http", "streamableHttp", "streamable_http":
		return HTTP
	case "sse":
		return SSE
	default:
		e.fail(e.typeAt, fmt.Sprintf("server %q is of a type that Winnow does not know", e.server), didYouMean(e.kindOf, []string{"http", "streamable-http", "sse", "stdio"}))
		return HTTP
	}
}

// checkPolicyOnly checks an entry with neither command nor url. It is policy for a server
// of another file, unless some key implies that it should run, or no key is known.
func (e *entryDecoder) checkPolicyOnly(at place) {
	for _, key := range definitionKeys() {
		if where, given := e.given[key]; given {
			e.fail(where, fmt.Sprintf("server %q has %q but neither \"command\" nor \"url\"", e.server, key), `add "command" for a local program or "url" for a remote server`)
			return
		}
	}
	policy := slices.ContainsFunc(policyKeys(), func(key string) bool { _, given := e.given[key]; return given })
	if !policy && (!e.traits.own || len(e.given) > 0) {
		e.fail(at, fmt.Sprintf("server %q has neither \"command\" nor \"url\"", e.server), `add "command" for a local program or "url" for a remote server`)
	}
}

// ignored warns that a key has no effect.
func (e *entryDecoder) ignored(key, what string) {
	if at, given := e.given[key]; given {
		e.report(Warning, at, fmt.Sprintf("%s is not used for %s", e.subject(key), what), "")
	}
}

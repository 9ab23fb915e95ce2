package config

import (
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// SetServerBlocked writes whether a mode blocks a server. It edits allowedMcpServers if
// set, because that wins; else blockedMcpServers. It edits only modes in Winnow's own
// files, not those of Roo Code and Zoo Code.
func SetServerBlocked(m Mode, server string, blocked bool) (Edit, error) {
	source := m.Origin.Source
	if source.Dialect != Winnow {
		return Edit{}, fmt.Errorf("mode %q is defined in %s, which Winnow reads and never writes", m.Slug, source.Path)
	}
	name := toolName{jsonText(server), jsonText(server)}
	return Edit{Source: source, path: []string{"modes", m.Slug}, change: func(entry jsonc.Object) error {
		if m.Allowed != nil {
			return setName(entry, "allowedMcpServers", name, !blocked, true) // if empty, it allows none
		}
		return setName(entry, "blockedMcpServers", name, blocked, false)
	}}, nil
}

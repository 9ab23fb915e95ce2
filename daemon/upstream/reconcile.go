package upstream

import (
	"fmt"
	"reflect"
)

// changeKind says what a change does to one server.
type changeKind int

const (
	addServer changeKind = iota
	updateServer
	removeServer
)

// change is one step from the servers there are to those there should be.
type change struct {
	kind changeKind
	name string
	// cfg is the new configuration; zero for removeServer.
	cfg Config
}

// reconcile compares the servers that should exist with those that do and
// returns what has to change, removals first. A server whose configuration is
// the same is not mentioned, so that nothing happens to it.
func reconcile(want []Config, have map[string]Config) ([]change, error) {
	wanted := make(map[string]bool, len(want))
	var changes []change
	for _, cfg := range want {
		if cfg.Name == "" {
			return nil, fmt.Errorf("a server has no name")
		}
		if wanted[cfg.Name] {
			return nil, fmt.Errorf("two servers are named %q", cfg.Name)
		}
		wanted[cfg.Name] = true
		cfg = cfg.WithDefaults()
		old, exists := have[cfg.Name]
		switch {
		case !exists:
			changes = append(changes, change{kind: addServer, name: cfg.Name, cfg: cfg})
		case !reflect.DeepEqual(old, cfg):
			changes = append(changes, change{kind: updateServer, name: cfg.Name, cfg: cfg})
		}
	}
	var removals []change
	for name := range have {
		if !wanted[name] {
			removals = append(removals, change{kind: removeServer, name: name})
		}
	}
	return append(removals, changes...), nil
}

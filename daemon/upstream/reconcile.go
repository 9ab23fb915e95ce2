package upstream

import (
	"fmt"
	"reflect"
)

// changeKind is the kind of a [change].
type changeKind int

const (
	addServer changeKind = iota
	updateServer
	removeServer
)

// change is one step from the existing servers to the configured ones.
type change struct {
	kind changeKind
	name string
	// cfg is the new configuration; zero for removeServer.
	cfg Config
}

// reconcile compares the configured servers with the existing ones and returns the
// changes, removals first. A server whose configuration is unchanged has no change. It
// fails if a name is missing or used twice.
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

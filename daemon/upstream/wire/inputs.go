package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
)

// inputPattern matches ${input:ID} with VS Code's characters for an ID.
func inputPattern() *regexp.Regexp { return regexp.MustCompile(`\$\{input:([^}]+)\}`) }

// resolveInputs replaces each ${input:ID} in the configuration by the result of ask, and
// registers the values as secrets. ask is called once per ID.
func resolveInputs(ctx context.Context, cfg Config, redact *clean.Redactor, ask func(ctx context.Context, server, id string) (string, error)) (Config, error) {
	r := resolver{pattern: inputPattern(), values: map[string]string{}}
	r.ask = func(id string) (string, error) {
		if ask == nil {
			return "", errors.New("this host cannot ask for it")
		}
		value, err := ask(ctx, cfg.Name, id)
		if err == nil {
			redact.Add(value)
		}
		return value, err
	}
	r.replace(&cfg.Command)
	r.replace(&cfg.Cwd)
	r.replace(&cfg.URL)
	cfg.Args = slices.Clone(cfg.Args)
	for i := range cfg.Args {
		r.replace(&cfg.Args[i])
	}
	cfg.Env, cfg.Headers = r.replaceMap(cfg.Env), r.replaceMap(cfg.Headers)
	r.replace(&cfg.OAuth.ClientID)
	r.replace(&cfg.OAuth.ClientSecret)
	redact.CredentialsOf(cfg.Settings())
	if r.err != nil && ctx.Err() == nil {
		return cfg, &fault.Failure{Permanent: true, Err: r.err, Next: "Restart the server to be asked again."}
	}
	return cfg, r.err
}

// resolver replaces inputs and keeps the first error.
type resolver struct {
	pattern *regexp.Regexp
	ask     func(id string) (string, error)
	values  map[string]string
	err     error
}

func (r *resolver) replace(s *string) {
	*s = r.pattern.ReplaceAllStringFunc(*s, func(match string) string {
		id := r.pattern.FindStringSubmatch(match)[1]
		value, known := r.values[id]
		if !known && r.err == nil {
			var err error
			if value, err = r.ask(id); err != nil {
				r.err = fmt.Errorf("input %q: %w", id, err)
				return match
			}
			r.values[id] = value
		}
		return value
	})
}

// replaceMap visits the keys in sorted order, so that the user is asked in the same order
// each time.
func (r *resolver) replaceMap(m map[string]string) map[string]string {
	m = maps.Clone(m)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		value := m[key]
		r.replace(&value)
		m[key] = value
	}
	return m
}

// askInput returns a function that asks for an input and masks secret values.
func (h Hooks) askInput(redact *clean.Redactor) func(ctx context.Context, server, id string) (string, error) {
	if h.Input == nil {
		return nil
	}
	return func(ctx context.Context, server, id string) (string, error) {
		value, err := h.Input(ctx, server, id)
		if err == nil && (h.InputIsSecret == nil || h.InputIsSecret(server, id)) {
			redact.Credential(value)
		}
		return value, err
	}
}

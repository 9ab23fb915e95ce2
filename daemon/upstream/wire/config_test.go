package wire

import (
	"strings"
	"testing"
	"time"
)

// TestConfig_Hash: what makes it another server changes the hash, how it is
// used does not.
func TestConfig_Hash(t *testing.T) {
	t.Parallel()
	base := Config{Name: "n", Command: "c", Args: []string{"a"}, Env: map[string]string{"K": "v", "L": "w"}}
	changes := map[string]struct {
		change func(*Config)
		same   bool
	}{
		"nothing":      {func(*Config) {}, true},
		"name":         {func(c *Config) { c.Name = "other" }, true},
		"timeout":      {func(c *Config) { c.Timeout = time.Hour }, true},
		"disabled":     {func(c *Config) { c.Disabled = true }, true},
		"hold":         {func(c *Config) { c.Hold.Kind = "x" }, true},
		"lazy":         {func(c *Config) { c.Lazy = true }, true},
		"transport":    {func(c *Config) { c.Transport = Stdio }, true},
		"empty values": {func(c *Config) { c.Headers = map[string]string{} }, true},
		"command":      {func(c *Config) { c.Command = "d" }, false},
		"args":         {func(c *Config) { c.Args = []string{"a", ""} }, false},
		"env":          {func(c *Config) { c.Env = map[string]string{"K": "v"} }, false},
		"cwd":          {func(c *Config) { c.Cwd = "/" }, false},
		"url":          {func(c *Config) { c.URL = "http://x" }, false},
		"headers":      {func(c *Config) { c.Headers = map[string]string{"K": "v"} }, false},
		"oauth":        {func(c *Config) { c.OAuth.Scopes = []string{"s"} }, false},
	}
	for name, test := range changes {
		changed := base
		test.change(&changed)
		if got := changed.Hash() == base.Hash(); got != test.same {
			t.Errorf("%s: same hash %t", name, got)
		}
	}
	if len(base.Hash()) != 32 {
		t.Errorf("hash %q", base.Hash())
	}
}

func TestConfig_Validate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		cfg  Config
		want string
	}{
		"program":       {Config{Command: "x"}, ""},
		"address":       {Config{URL: "https://host/mcp"}, ""},
		"nothing":       {Config{}, `no "url"`},
		"no command":    {Config{Transport: Stdio}, `no "command"`},
		"no scheme":     {Config{URL: "host/mcp"}, "not an http or https address"},
		"other scheme":  {Config{URL: "ftp://host"}, "not an http or https address"},
		"broken":        {Config{URL: "http://[::1"}, "not an http or https address"},
		"new transport": {Config{Transport: "websocket"}, `"websocket" is not a transport`},
	}
	for name, test := range tests {
		err := test.cfg.WithDefaults().validate()
		if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

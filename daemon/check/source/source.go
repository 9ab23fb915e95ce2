// Package source reads a server's tools, from the server or a capture, for package check.
// It starts a server like those of the user's files: with the environment that these find,
// and in a sandbox on request.
package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/check"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// Options says what to read, and how.
type Options struct {
	// Target is a command with its arguments, a URL, or a file.
	Target []string
	// Name is the server's name; if "", it is derived from the target.
	Name string
	// Env is added to the standard environment of a server's command.
	Env     map[string]string
	Headers map[string]string
	// Sandbox restricts a command; nil means no sandbox.
	Sandbox *protocol.SandboxEntry
	Timeout time.Duration
	// Version is sent to the server.
	Version string
	Log     *slog.Logger
}

// Read returns what the target offers.
func Read(ctx context.Context, o *Options) (check.Offer, error) {
	target := o.Target[0]
	var offer check.Offer
	var err error
	switch info, failed := os.Stat(target); {
	case strings.HasPrefix(target, "http://"), strings.HasPrefix(target, "https://"):
		offer, err = o.ask(ctx, upstream.Config{URL: target, Headers: o.Headers})
	case len(o.Target) == 1 && failed == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 == 0:
		offer, err = o.capture(target)
	default:
		offer, err = o.ask(ctx, upstream.Config{Command: target, Args: o.Target[1:], Env: o.Env, Sandbox: o.Sandbox})
	}
	if err != nil {
		return offer, fmt.Errorf("%s: %w", strings.Join(o.Target, " "), err)
	}
	offer.Source = strings.Join(o.Target, " ")
	if o.Name != "" {
		offer.Name = o.Name
	}
	if offer.Name == "" {
		offer.Name = NameOf(o.Target)
	}
	return offer, nil
}

// capture reads a file.
func (o *Options) capture(file string) (check.Offer, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return check.Offer{}, err
	}
	offer, err := check.ReadCapture(data, o.Name)
	offer.File = filepath.ToSlash(file)
	offer.Places = map[string]check.Place{}
	for _, raw := range offer.Tools {
		var tool struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &tool) == nil && tool.Name != "" {
			name := tool.Name
			if line := lineOf(data, regexp.MustCompile(`"name"\s*:\s*`+regexp.QuoteMeta(fmt.Sprintf("%q", name)))); line > 0 {
				offer.Places[name] = check.Place{File: offer.File, Line: line}
			}
		}
	}
	return offer, err
}

// ask starts a server, or connects to it, and reads what it lists.
func (o *Options) ask(ctx context.Context, config upstream.Config) (check.Offer, error) {
	config.Name = o.Name
	if config.Name == "" {
		config.Name = NameOf(o.Target)
	}
	config.StartTimeout = o.Timeout
	m := upstream.NewManager(upstream.Options{Logger: o.Log, ClientVersion: o.Version, HostEnv: upstream.NetworkEnv(os.LookupEnv)})
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		_ = m.Close(end) // the state of a killed server does not matter
	}()
	if err := m.Apply(ctx, []upstream.Config{config}); err != nil {
		return check.Offer{}, err
	}
	for {
		s, _ := m.Snapshot().Server(config.Name)
		switch s.Status.State {
		case upstream.Ready:
			return offered(&s), nil
		case upstream.Failed, upstream.SignedOut, upstream.Stopped, upstream.Disabled:
			return check.Offer{}, failure(&s)
		}
		select {
		case <-m.Updates():
		case <-ctx.Done():
			return check.Offer{}, ctx.Err()
		}
	}
}

// shutdownTime is the time for a server to exit.
const shutdownTime = 2 * time.Second

// failure says why a server has no tools, and the next step.
func failure(s *upstream.ServerSnapshot) error {
	text := "it is " + string(s.Status.State)
	if s.Status.Error != "" {
		text = s.Status.Error
	}
	if s.Status.Next != "" {
		text += ". " + s.Status.Next
	}
	return errors.New(text)
}

// offered returns what a running server offers.
func offered(s *upstream.ServerSnapshot) check.Offer {
	offer := check.Offer{
		Name: s.Name, Version: s.Info.Version, Instructions: s.Instructions, Warnings: s.Status.Warnings,
	}
	for _, tool := range s.Tools {
		offer.Tools = append(offer.Tools, tool.Raw)
	}
	return offer
}

// runners are programs that run another one, by which the server is named.
var runners = []string{"npx", "uvx", "bunx", "pnpx", "node", "python", "python3", "go", "deno", "docker", "run", "exec"}

// places are files and folders that do not name a program.
var places = []string{"dist", "build", "out", "lib", "src", "bin", "index", "main", "cli", "server"}

// notName matches characters that no server's name has.
var notName = regexp.MustCompile(`[^a-z0-9]+`)

// NameOf derives a name from a target: notes from "npx -y @acme/mcp-server-notes@1.2".
func NameOf(target []string) string {
	if u, err := url.Parse(target[0]); err == nil && u.Host != "" {
		return u.Hostname()
	}
	name := ""
	for _, word := range target {
		base := strings.TrimSuffix(filepath.Base(word), filepath.Ext(word))
		if !strings.HasPrefix(word, "-") && !slices.Contains(runners, base) {
			name = word
			break
		}
	}
	if at := strings.LastIndexByte(name, '@'); at > strings.LastIndexByte(name, '/')+1 { // its version
		name = name[:at]
	}
	parts := strings.Split(filepath.ToSlash(name), "/")
	for len(parts) > 1 && slices.Contains(places, strings.TrimSuffix(parts[len(parts)-1], filepath.Ext(parts[len(parts)-1]))) {
		parts = parts[:len(parts)-1] // of an installed package, its folder
	}
	name = parts[len(parts)-1]
	words := notName.Split(strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name))), -1)
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" || w == "mcp" || w == "server" })
	if len(words) == 0 {
		return "server"
	}
	return strings.Join(words, "-")
}

// lineOf returns the first line of a text with a match, or 0.
func lineOf(data []byte, match *regexp.Regexp) int {
	at := match.FindIndex(data)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(data[:at[0]], []byte("\n"))
}

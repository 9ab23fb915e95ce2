// Package source asks a server for its tools, or reads what one answered, for package
// check. A server is started as those of the user's files are: with the environment
// that its own entry would name and no more, in a sandbox where one is asked for.
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

// Options say what to ask, and how.
type Options struct {
	// Target is a command with its arguments, a URL, or a file.
	Target []string
	// Name is what people call the server; empty is made of the target.
	Name string
	// Env is what a command finds in its environment beside what every server finds.
	Env     map[string]string
	Headers map[string]string
	// Sandbox is what a command may have; nil is all that the user has.
	Sandbox *protocol.SandboxEntry
	Timeout time.Duration
	// Version is sent to the server.
	Version string
	HostEnv map[string]string
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

// ask starts a server, or connects to it, and takes what it lists.
func (o *Options) ask(ctx context.Context, config upstream.Config) (check.Offer, error) {
	config.Name = o.Name
	if config.Name == "" {
		config.Name = NameOf(o.Target)
	}
	config.StartTimeout = o.Timeout
	m := upstream.NewManager(upstream.Options{Logger: o.Log, ClientVersion: o.Version, HostEnv: o.HostEnv})
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		_ = m.Close(end) // what it killed is of no interest any more
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

// shutdownTime is what a server has to end.
const shutdownTime = 2 * time.Second

// failure says why a server has no tools, and what to do.
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

// offered is what a server that is up offers.
func offered(s *upstream.ServerSnapshot) check.Offer {
	offer := check.Offer{
		Name: s.Name, Version: s.Info.Version, Instructions: s.Instructions, Warnings: s.Status.Warnings,
	}
	for _, tool := range s.Tools {
		offer.Tools = append(offer.Tools, tool.Raw)
	}
	return offer
}

// runners are programs that run another one, which the server is called by.
var runners = []string{"npx", "uvx", "bunx", "pnpx", "node", "python", "python3", "go", "deno", "docker", "run", "exec"}

// places are files and folders of programs that are not called by them.
var places = []string{"dist", "build", "out", "lib", "src", "bin", "index", "main", "cli", "server"}

// notName is what no name of a server has.
var notName = regexp.MustCompile(`[^a-z0-9]+`)

// NameOf makes a name of a target: of "npx -y @acme/mcp-server-notes@1.2" notes.
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

// lineOf returns the first line of a text that has a match; 0 where none has.
func lineOf(data []byte, match *regexp.Regexp) int {
	at := match.FindIndex(data)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(data[:at[0]], []byte("\n"))
}

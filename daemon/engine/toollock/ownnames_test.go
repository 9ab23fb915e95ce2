package toollock_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/protocol"
)

// hosts applies the lock to tools of a host, which are named by a prefix and the server's
// own names and told as such.
func (k *keeper) hosts(server, prefix string, tools ...json.RawMessage) toollock.Applied {
	k.t.Helper()
	said := toollock.Server{Source: "vscode:1", Name: server, OwnNames: map[string]string{}}
	for _, raw := range tools {
		own := nameOf(k.t, raw)
		said.OwnNames[prefix+own] = own
		said.Tools = append(said.Tools, renamed(raw, prefix+own))
	}
	return k.Apply(said)
}

func nameOf(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var tool struct{ Name string }
	if err := json.Unmarshal(raw, &tool); err != nil {
		t.Fatal(err)
	}
	return tool.Name
}

func renamed(raw json.RawMessage, name string) json.RawMessage {
	_, rest, _ := strings.Cut(string(raw), ",")
	return json.RawMessage(`{"name":"` + name + `",` + rest)
}

// expectQuiet checks that nothing waits for an answer.
func (k *keeper) expectQuiet(when string) {
	k.t.Helper()
	if changes := k.List().Changes; len(changes) != 0 {
		k.t.Errorf("%s: %d changes wait, the first of them %+v", when, len(changes), changes[0])
	}
}

// TestKeeper_swappedPrefixes: VS Code numbers the names of servers that call themselves
// the same in the order in which they start, and the tools of both stay known, also with
// what was answered about them.
func TestKeeper_swappedPrefixes(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	cellar := []json.RawMessage{described("list", "Lists the bottles."), described("count", "Counts.")}
	quarry := []json.RawMessage{described("list", "Lists the stones."), described("mcp_list", "Lists.")}
	run(t, storage, func(k *keeper) {
		k.hosts("cellar", "mcp_changing2_", cellar...)
		k.hosts("quarry", "mcp_changing5_", quarry...)
		k.approveAll("vscode:1", "cellar")
	})
	run(t, storage, func(k *keeper) {
		now := k.hosts("cellar", "mcp_changing5_", cellar...)
		k.expect(now, "mcp_changing5_list", protocol.LockApproved, false)
		k.expect(k.hosts("quarry", "mcp_changing2_", quarry...), "mcp_changing2_list", protocol.LockSeen, false)
		k.expectQuiet("after the swap")

		// A change and a new tool are still told, by the server's own names.
		k.hosts("cellar", "mcp_changing7_", widened("list"), cellar[1], described("pour", "Pours."))
		changed := k.change("cellar", "list")
		if !changed.Held || changed.HostName != "mcp_changing7_list" || k.change("cellar", "pour").State != protocol.LockJoined {
			t.Errorf("got %+v, want it held back", changed)
		}
		diff, err := k.Diff(&changed.LockRef)
		if err != nil || strings.Contains(diff.Before+diff.After, "mcp_") || diff.Before == diff.After {
			t.Errorf("the difference has a host's name, or is none: %q and %q, %v", diff.Before, diff.After, err)
		}
		// The rows of an editor name a tool as the host does.
		byHost := changed
		byHost.Name = changed.HostName
		k.approve(byHost)
		now = k.hosts("cellar", "mcp_changing7_", widened("list"), cellar[1], described("pour", "Pours."))
		k.expect(now, "mcp_changing7_list", protocol.LockApproved, false)

		// A list that does not tell own names is of the same tools.
		k.Only("vscode:1", nil)
		told := k.says("vscode:1", "cellar", renamed(widened("list"), "mcp_changing9_list"), renamed(cellar[1], "mcp_changing9_count"))
		k.expect(told, "mcp_changing9_list", protocol.LockApproved, false)
		k.expectQuiet("a list without own names")
	})
}

// TestKeeper_takeOver: what was recorded by a host's names counts for the tools by their
// own names.
func TestKeeper_takeOver(t *testing.T) {
	t.Parallel()
	send, read := described("send", "Sends."), described("read", "Reads.")
	// before is what a version of before recorded: the names of two starts.
	before := func(k *keeper) {
		k.says("vscode:1", "mail", renamed(send, "mcp_a2_send"), renamed(read, "mcp_a2_read"))
		k.approveAll("vscode:1", "mail")
		k.Only("vscode:1", nil)
	}
	joined := func(k *keeper) {
		k.says("vscode:1", "mail", renamed(send, "mcp_a5_send"), renamed(read, "mcp_a5_read"))
	}
	for name, tt := range map[string]struct {
		before []func(k *keeper)
		prefix string
		now    []json.RawMessage
		state  protocol.LockState // of send
		held   bool
	}{
		"the same name":                     {[]func(*keeper){before}, "mcp_a2_", []json.RawMessage{send, read}, protocol.LockApproved, false},
		"another prefix":                    {[]func(*keeper){before}, "mcp_a7_", []json.RawMessage{send, read}, protocol.LockApproved, false},
		"one that seemed to join":           {[]func(*keeper){before, joined}, "mcp_a5_", []json.RawMessage{send, read}, protocol.LockApproved, false},
		"changed, by the same name":         {[]func(*keeper){before}, "mcp_a2_", []json.RawMessage{widened("send"), read}, protocol.LockChanged, true},
		"changed, by another name":          {[]func(*keeper){before}, "mcp_a7_", []json.RawMessage{widened("send"), read}, protocol.LockJoined, false},
		"a longer name's content":           {[]func(*keeper){before}, "mcp_a2_", []json.RawMessage{renamed(send, "d"), renamed(read, "send")}, protocol.LockChanged, true},
		"a tool named as another was":       {[]func(*keeper){before}, "mcp_x_", []json.RawMessage{renamed(widened("send"), "mcp_a2_send"), send}, protocol.LockApproved, false},
		"renamed, to pass for what was new": {[]func(*keeper){before}, "mcp_a2_", []json.RawMessage{widened("send"), renamed(send, "mcp_a2_send")}, protocol.LockChanged, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storage := t.TempDir()
			for _, step := range tt.before {
				run(t, storage, step)
			}
			for range 2 { // and so it stays
				run(t, storage, func(k *keeper) {
					k.expect(k.hosts("mail", tt.prefix, tt.now...), tt.prefix+"send", tt.state, tt.held)
					if tt.state == protocol.LockApproved && len(tt.now) == 2 && nameOf(t, tt.now[0]) == "send" {
						k.expectQuiet("taken over")
					}
					for _, event := range k.events {
						if event.Action == toollock.Seen && tt.state == protocol.LockApproved && nameOf(t, tt.now[0]) == "send" {
							t.Errorf("%+v, want nothing new", event)
						}
					}
				})
			}
		})
	}
}

// TestApprovals_takenOver: what was approved by a host's names is listed once, and taken
// back as a whole, also what was not taken over yet.
func TestApprovals_takenOver(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	send, read := described("send", "Sends."), described("read", "Reads.")
	run(t, storage, func(k *keeper) {
		k.says("vscode:1", "mail", renamed(send, "mcp_a2_send"), renamed(read, "mcp_a2_read"))
		k.approveAll("vscode:1", "mail")
	})
	run(t, storage, func(k *keeper) {
		k.hosts("mail", "mcp_a5_", send) // the other one comes later
		approvals := toollock.Approvals{Keeper: k.Keeper}
		reviewed := approvals.Reviewed()
		if len(reviewed) != 1 || reviewed[0].Count != 2 {
			t.Fatalf("got %+v, want one server with two items", reviewed)
		}
		taken := reviewed[0]
		taken.Kind = protocol.ApprovalReviewed
		approvals.Withdraw(taken)
		if reviewed := approvals.Reviewed(); len(reviewed) != 0 {
			t.Errorf("taken back, and %+v is left", reviewed)
		}
		now := k.hosts("mail", "mcp_a5_", send, read)
		k.expect(now, "mcp_a5_send", protocol.LockSeen, false)
		k.expect(now, "mcp_a5_read", protocol.LockSeen, false)
	})
}

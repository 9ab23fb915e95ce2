package display

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// A task's tokens are compared with what its client, VS Code, would send by
// itself where that has said so, and with all of them.

// saving is short, for a status bar: "saves 3.1k", "costs 300 more", or
// nothing.
func saving(t *protocol.TaskSummary) string {
	saved := t.Tokens.ClientSaved
	switch {
	case saved == 0:
		return ""
	case saved < 0 && t.Shadow:
		return "would cost " + Tokens(-saved) + " more"
	case saved < 0:
		return "costs " + Tokens(-saved) + " more"
	case t.Shadow:
		return "would save " + Tokens(saved)
	}
	return "saves " + Tokens(saved)
}

// compared is "3.1k tokens fewer than VS Code by itself", or nothing.
func compared(t *protocol.TaskSummary) string {
	if t.Tokens.ClientSaved == 0 {
		return ""
	}
	than := "all of them"
	if t.Client {
		than = "VS Code by itself"
	}
	return fewer(t.Tokens.ClientSaved) + " than " + than
}

// fewer says how many tokens are saved: "3.1k tokens fewer".
func fewer(saved int) string {
	if saved < 0 {
		return inTokens(-saved) + " more"
	}
	return inTokens(saved) + " fewer"
}

// costs words both comparisons, each in a sentence.
func costs(t *protocol.TaskSummary) string {
	carry := "Its requests carry"
	if t.Shadow {
		carry = "Its requests would carry"
	}
	sentences := []string{fmt.Sprintf("%s %s of MCP tools.", carry, Count(t.Tokens.Attached, "token"))}
	if t.Client && t.Tokens.Client != t.Tokens.All {
		sentences = append(sentences, fmt.Sprintf("VS Code by itself, with what it hides behind groups, sends %s.", Count(t.Tokens.Client, "token")))
	}
	sentences = append(sentences, fmt.Sprintf("All of the tools cost %s.", Count(t.Tokens.All, "token")))
	return strings.Join(sentences, " ")
}

// used says what a task's model had at hand, besides what that costs; nothing
// before it has called a tool.
func used(u *protocol.UsedTools) string {
	if u.Called == 0 {
		return ""
	}
	hand := fmt.Sprintf("%s were", Number(u.InHand))
	switch {
	case u.Called == 1 && u.InHand == 1:
		hand = "it was"
	case u.Called == 1:
		hand = "it was not"
	case u.InHand == 0:
		hand = "none was"
	case u.InHand == u.Called:
		hand = "all were"
	case u.InHand == 1:
		hand = "1 was"
	}
	avoided := ""
	if u.GroupCalls > 0 {
		group := "groups"
		if u.GroupCalls == 1 {
			group = "a group"
		}
		avoided = fmt.Sprintf("; %s to open %s of VS Code's avoided", Count(u.GroupCalls, "call"), group)
	}
	return fmt.Sprintf("The model called %s: %s in hand from the start%s.", Count(u.Called, "tool"), hand, avoided)
}

// week words the sums of the week; nothing before there are any.
func week(w *protocol.WeekSavings) string {
	if w.Requests == 0 {
		return ""
	}
	return fmt.Sprintf("This week: %s of %s, %s than the clients by themselves, %s than with every tool.",
		Count(w.Requests, "request"), Count(w.Tasks, "task"), fewer(w.ClientSaved), fewer(w.Saved))
}

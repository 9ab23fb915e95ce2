package display

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// A task's tokens are compared with what VS Code would send by itself with the same
// servers in its own file, and with those of all tools.

// saving returns a short text for a status bar: "saves 17%" of the request, or tokens if
// rest, the request's tokens besides MCP's tools, is not known. It is "" if nothing is
// saved; the reason needs a sentence, see [costs].
func saving(t *protocol.TaskSummary, rest int) string {
	saved := t.Tokens.ClientSaved
	if saved <= 0 {
		return ""
	}
	verb, size := "saves ", Tokens(saved)
	if t.Shadow {
		verb = "would save "
	}
	if rest > 0 {
		size = Percent(saved, t.Tokens.Client+rest)
	}
	return verb + about(t) + size
}

// compared returns "17% of the request fewer than VS Code by itself, 3.1k tokens", or "".
func compared(t *protocol.TaskSummary, rest int) string {
	saved := t.Tokens.ClientSaved
	if saved <= 0 {
		return ""
	}
	than := " than all of them"
	if t.Client {
		than = " than VS Code by itself"
	}
	if rest > 0 {
		return about(t) + Percent(saved, t.Tokens.Client+rest) + " of the request less" + than + ", " + inTokens(saved)
	}
	return about(t) + inTokens(saved) + " fewer" + than
}

// about qualifies a figure that is partly computed, because what VS Code would hide of
// the servers that Winnow runs is not observed.
func about(t *protocol.TaskSummary) string {
	if t.Client && t.ClientComputed {
		return "about "
	}
	return ""
}

// sends returns [compared] as a sentence.
func sends(t *protocol.TaskSummary, rest int) string {
	than := compared(t, rest)
	switch {
	case than == "":
		return ""
	case t.Shadow:
		return "It would send " + than + "."
	}
	return "It sends " + than + "."
}

// costs describes both comparisons, each in a sentence.
func costs(t *protocol.TaskSummary) string {
	carry := "Its requests carry"
	if t.Shadow {
		carry = "Its requests would carry"
	}
	sentences := []string{fmt.Sprintf("%s %s of MCP tools%s.", carry, Count(t.Tokens.Attached-t.Tokens.Meta, "token"), andOwn(t.Tokens.Meta))}
	if t.Client && t.Tokens.Client != t.Tokens.All {
		sends := "sends"
		if t.ClientComputed {
			sends = "would send about"
		}
		sentences = append(sentences, fmt.Sprintf("VS Code by itself, with these servers in its own file and what it hides behind groups, %s %s.", sends, Count(t.Tokens.Client, "token")))
	}
	sentences = append(sentences, fmt.Sprintf("All of the tools cost %s.", Count(t.Tokens.All, "token")))
	if why := costly(t); why != "" {
		sentences = append(sentences, why)
	}
	return strings.Join(sentences, " ")
}

// andOwn adds the tokens of Winnow's own tools to a text about tokens, or nothing.
func andOwn(meta int) string {
	if meta == 0 {
		return ""
	}
	return " and " + Number(meta) + " of Winnow's own"
}

// costlySetting is the setting that makes a task's requests smaller. Not winnow.named: the
// router names no tools where nothing is saved.
const costlySetting = "winnow.initialK"

// costly returns why a task saves nothing, and what does; "" if it saves.
func costly(t *protocol.TaskSummary) string {
	if t.Tokens.ClientSaved >= 0 || unrouted(t) {
		return ""
	}
	cause := "the few tools that are left out cost less than Winnow's own."
	if t.Client && t.Tokens.Client != t.Tokens.All {
		cause = fmt.Sprintf("VS Code hides more behind groups than the %s leave out.", Count(t.Counts.Attached, "attached tool"))
	}
	return fmt.Sprintf("Nothing is saved here: %s A lower %s saves tokens.", cause, costlySetting)
}

// used describes what a task's model had and used; "" before it has called a tool.
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
	return fmt.Sprintf("The model asked to call %s: %s attached before%s.", Count(u.Called, "tool"), hand, avoided)
}

// week describes the sums of the week; "" if there are none.
func week(w *protocol.WeekSavings) string {
	if w.Requests == 0 {
		return ""
	}
	done := fmt.Sprintf("This week, %s of %s", Count(w.Requests, "request"), Count(w.Tasks, "task"))
	if w.ClientSaved <= 0 || w.Client == 0 {
		return fmt.Sprintf("%s: %s fewer than with every tool.", done, inTokens(max(0, w.Saved)))
	}
	return fmt.Sprintf("%s: %s of the tokens of MCP tools saved against what your clients send without Winnow, %s; %s against every tool.",
		done, Percent(w.ClientSaved, w.Client), Tokens(w.ClientSaved), Tokens(w.Saved))
}

// leftOutOf returns the chart of what recent requests omitted; nil if nothing.
func leftOutOf(days []protocol.DaySavings) *protocol.LeftOutChart {
	tokens := map[string]int{}
	longest, sum := 1, 0
	for i := range days {
		day := 0
		for server, left := range days[i].LeftOut {
			tokens[server] += left
			day += left
		}
		longest, sum = max(longest, day), sum+day
	}
	if sum == 0 {
		return nil
	}
	names, shared := leftOutServers(tokens)
	chart := &protocol.LeftOutChart{
		Caption: "Tokens of tools that requests went without, by server", Servers: []protocol.UsageRow{},
		Sum: protocol.UsageSum{Name: "Left out", Tokens: Number(sum)},
	}
	for _, day := range slices.Backward(days) {
		chart.Days = append(chart.Days, leftOutDay(&day, names, shared, longest))
	}
	for i, name := range names {
		left := tokens[name]
		if name == shared {
			left = sum - sumOver(tokens, names)
		}
		chart.Servers = append(chart.Servers, protocol.UsageRow{
			ID: name, Name: name, Tokens: Number(left), Share: Percent(left, sum), Color: &i,
		})
	}
	return chart
}

// leftOutServers returns the servers with a colour of their own, most tokens first, and
// the name for all others, or "".
func leftOutServers(tokens map[string]int) (names []string, shared string) {
	names = slices.SortedFunc(maps.Keys(tokens), func(a, b string) int {
		return cmp.Or(cmp.Compare(tokens[b], tokens[a]), cmp.Compare(a, b))
	})
	if more := len(names) - (usageColors - 1); more > 1 {
		shared = CountOf(more, "other server", "other servers")
		names = append(names[:usageColors-1:usageColors-1], shared)
	}
	return names, shared
}

func sumOver(tokens map[string]int, names []string) int {
	sum := 0
	for _, name := range names {
		sum += tokens[name]
	}
	return sum
}

// leftOutDay returns the bar of a day; longest is the token count of a full-length bar.
func leftOutDay(day *protocol.DaySavings, names []string, shared string, longest int) protocol.UsageBar {
	var sections []protocol.UsageSection
	sum := 0
	for _, tokens := range day.LeftOut {
		sum += tokens
	}
	for _, name := range names {
		tokens := day.LeftOut[name]
		if name == shared {
			tokens = sum - sumOver(day.LeftOut, names)
		}
		sections = append(sections, protocol.UsageSection{Name: name, Tokens: tokens})
	}
	label := day.Day
	if date, err := time.Parse(time.DateOnly, day.Day); err == nil {
		label = date.Format("Mon 2 Jan")
	}
	return usageBar(label, fmt.Sprintf("%s in %s", inTokens(sum), Count(day.Requests, "request")), sections, longest)
}

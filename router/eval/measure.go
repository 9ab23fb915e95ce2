package main

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// task is the assumed length of a whole task, and its tokens besides the tools.
type task struct{ requests, context int }

// measured holds the figures of one pair of settings; see the command's documentation.
type measured struct{ tokens, full, known, rounds, task, idle float64 }

// measure opens a task with each message of a set.
func measure(v *router.View, s *set, w task) measured {
	var m measured
	n := float64(len(s.messages))
	for i := range s.messages {
		message := &s.messages[i]
		t := v.Turn(router.Task{ID: "t"}, message.text)
		a := v.Attachment(&t)
		full := meets(message.needs, func(id router.ToolID) bool { return t.Has(id) >= 0 })
		known := meets(message.needs, func(id router.ToolID) bool { return t.Has(id) >= 0 || isNamed(&t, id) })
		m.tokens += float64(a.Tokens.Attached) / n
		m.full += one(full) / n
		m.known += one(known) / n
		rounds, cost := w.requests, w.requests*(w.context+a.Tokens.Attached)
		if !full {
			rounds++
			cost += w.context + a.Tokens.Attached + w.requests*missing(v, &t, message.needs)
		}
		m.rounds += float64(rounds) / n
		m.task += float64(cost) / n
	}
	for _, text := range s.idle {
		t := v.Turn(router.Task{ID: "t"}, text)
		m.idle += float64(len(t.Attached)) / float64(len(s.idle))
	}
	return m
}

// meets reports whether holds is true for a member of each need.
func meets(needs [][]router.ToolID, holds func(router.ToolID) bool) bool {
	return !slices.ContainsFunc(needs, func(need []router.ToolID) bool { return !slices.ContainsFunc(need, holds) })
}

// missing sums the tokens of the first tool of each need that no attached tool meets.
func missing(v *router.View, t *router.Task, needs [][]router.ToolID) int {
	sum := 0
	for _, need := range needs {
		if slices.ContainsFunc(need, func(id router.ToolID) bool { return t.Has(id) >= 0 }) {
			continue
		}
		if i, ok := v.Catalog.Lookup(need[0]); ok {
			sum += v.Catalog.Tools[i].Tokens
		}
	}
	return sum
}

func isNamed(t *router.Task, id router.ToolID) bool {
	return slices.ContainsFunc(t.State().Named, func(n protocol.NamedTool) bool {
		return n.Server == id.Server && n.Tool == id.Tool
	})
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

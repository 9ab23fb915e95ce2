package upstream

import "testing"

// TestDecide is the table of a server's life.
func TestDecide(t *testing.T) {
	t.Parallel()
	run := wants{hash: "h"}
	tests := map[string]struct {
		want wants
		at   stage
		do   action
	}{
		"new":                             {run, stage{}, dial},
		"connected":                       {run, stage{connected: true, hash: "h"}, stay},
		"connected, removed":              {wants{hash: "h", removed: true}, stage{connected: true, hash: "h"}, disconnect},
		"connected, stopped":              {wants{hash: "h", stopped: true}, stage{connected: true, hash: "h"}, disconnect},
		"connected, disabled":             {wants{hash: "h", cfg: Config{Disabled: true}}, stage{connected: true, hash: "h"}, disconnect},
		"connected, held":                 {wants{hash: "h", cfg: Config{Hold: Hold{Kind: "x"}}}, stage{connected: true, hash: "h"}, disconnect},
		"connected, changed":              {wants{hash: "i"}, stage{connected: true, hash: "h"}, disconnect},
		"connected, restarted":            {wants{hash: "h", restarts: 1}, stage{connected: true, hash: "h"}, disconnect},
		"connected, made lazy":            {wants{hash: "h", cfg: Config{Lazy: true}}, stage{connected: true, hash: "h", known: true}, stay},
		"dialing":                         {run, stage{dialing: true, hash: "h"}, stay},
		"dialing, changed":                {wants{hash: "i"}, stage{dialing: true, hash: "h"}, abandon},
		"dialing, changed, given up":      {wants{hash: "i"}, stage{dialing: true, abandoned: true, hash: "h"}, stay},
		"dialing, removed":                {wants{hash: "h", removed: true}, stage{dialing: true, hash: "h"}, abandon},
		"dialing, removed, given up":      {wants{hash: "h", removed: true}, stage{dialing: true, abandoned: true, hash: "h"}, stay},
		"idle, removed":                   {wants{hash: "h", removed: true}, stage{hash: "h"}, exit},
		"idle, stopped":                   {wants{hash: "h", stopped: true}, stage{hash: "h"}, rest},
		"waiting":                         {run, stage{hash: "h", waiting: true}, stay},
		"waiting, changed":                {wants{hash: "i"}, stage{hash: "h", waiting: true}, dial},
		"waiting, restarted":              {wants{hash: "h", restarts: 1}, stage{hash: "h", waiting: true}, dial},
		"waiting, stopped":                {wants{hash: "h", stopped: true}, stage{hash: "h", waiting: true}, rest},
		"waited":                          {run, stage{hash: "h"}, dial},
		"parked":                          {run, stage{hash: "h", parked: true}, stay},
		"parked, restarted":               {wants{hash: "h", restarts: 1}, stage{hash: "h", parked: true}, dial},
		"lazy, known":                     {wants{hash: "h", cfg: Config{Lazy: true}}, stage{known: true}, rest},
		"lazy, unknown":                   {wants{hash: "h", cfg: Config{Lazy: true}}, stage{}, dial},
		"lazy, called":                    {wants{hash: "h", cfg: Config{Lazy: true}, demand: true}, stage{known: true}, dial},
		"lazy, called, failed":            {wants{hash: "h", cfg: Config{Lazy: true}, demand: true}, stage{hash: "h", known: true, waiting: true}, stay},
		"lazy, died before it was called": {wants{hash: "h", cfg: Config{Lazy: true}}, stage{hash: "h", known: true}, rest},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := decide(test.want, test.at); got != test.do {
				t.Errorf("action %d, want %d", got, test.do)
			}
		})
	}
}

func TestRestState(t *testing.T) {
	t.Parallel()
	tests := []struct {
		want  wants
		known bool
		state State
	}{
		{wants{}, false, Configured},
		{wants{}, true, Known},
		{wants{stopped: true}, true, Stopped},
		{wants{cfg: Config{Disabled: true}, stopped: true}, true, Disabled},
	}
	for _, test := range tests {
		if got := restState(test.want, test.known); got != test.state {
			t.Errorf("%+v: %s, want %s", test.want, got, test.state)
		}
	}
}

func TestEraPlan(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		transport Transport
		known     Era
		silences  int
		want      string
	}{
		"new stdio":               {Stdio, EraUnknown, 0, "legacy modern"},
		"new http":                {HTTP, EraUnknown, 0, "legacy modern sse"},
		"new, silent":             {Stdio, EraUnknown, 1, "modern legacy"},
		"new, silent twice":       {Stdio, EraUnknown, 2, "legacy modern"},
		"sse":                     {SSE, EraModern, 1, "sse"},
		"known legacy":            {Stdio, EraLegacy, 0, "legacy modern"},
		"known legacy, silent":    {Stdio, EraLegacy, 1, "legacy modern"},
		"known legacy, silent x3": {Stdio, EraLegacy, 3, "modern legacy"},
		"known legacy, silent x4": {Stdio, EraLegacy, 4, "legacy modern"},
		"known modern":            {HTTP, EraModern, 0, "modern legacy sse"},
		"known modern, silent x3": {Stdio, EraModern, 3, "legacy modern"},
		"known sse":               {HTTP, EraSSE, 1, "sse legacy modern"},
	}
	for name, test := range tests {
		got := ""
		for _, era := range eraPlan(test.transport, test.known, test.silences) {
			got += " " + string(era)
		}
		if got != " "+test.want {
			t.Errorf("%s: plan%s, want %s", name, got, test.want)
		}
	}
}

func TestTryNextEra(t *testing.T) {
	t.Parallel()
	refused := &refusedError{err: errRefused}
	tests := map[string]struct {
		err  error
		next Era
		want bool
	}{
		"refused":                {refused, EraModern, true},
		"refused, not by status": {refused, EraSSE, false},
		"refused by status":      {&refusedError{err: errRefused, sse: true}, EraSSE, true},
		"silent":                 {&silentError{err: errRefused}, EraModern, false},
		"signed out":             {&signInError{}, EraModern, false},
		"unreachable":            {errRefused, EraModern, false},
	}
	for name, test := range tests {
		if got := tryNextEra(test.err, test.next); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

package upstream

import "testing"

// TestDecide is the table of a server's life.
func TestDecide(t *testing.T) {
	t.Parallel()
	run, sleeps := wants{hash: "h"}, wants{hash: "h", cfg: Config{Idle: 1}}
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
		"asleep":                          {sleeps, stage{hash: "h", known: true, slept: true}, rest},
		"asleep, to stay from now on":     {run, stage{hash: "h", known: true, slept: true}, dial},
		"asleep, called":                  {wants{hash: "h", cfg: Config{Idle: 1}, demand: true}, stage{hash: "h", known: true, slept: true}, dial},
		"asleep, restarted":               {wants{hash: "h", restarts: 1, demand: true}, stage{hash: "h", known: true, slept: true}, dial},
		"asleep, changed":                 {wants{hash: "i"}, stage{hash: "h", slept: true}, dial},
		"asleep, removed":                 {wants{hash: "h", removed: true}, stage{hash: "h", known: true, slept: true}, exit},
		"connected, shared otherwise":     {wants{hash: "h", sharing: "client"}, stage{connected: true, hash: "h", sharing: "user"}, disconnect},
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

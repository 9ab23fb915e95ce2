package tasks

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// A task's id is a handle of its principal's: whoever else gives it has no such
// task, closes none, and has one of their own by that name.
func TestStore_principals(t *testing.T) {
	t.Parallel()
	alice, bob := principal.Principal{Issuer: "https://a.example", Subject: "alice"}, principal.Local
	s := NewStore(nil)
	hers := s.Add(alice, "one")
	if _, err := s.Get(bob, "one"); err == nil {
		t.Error("another principal gets the task")
	}
	if s.Remove(bob, "one") {
		t.Error("another principal closes the task")
	}
	his := s.AddShared(bob, "", "one")
	if got, err := s.Of(alice).Look("one"); got != hers || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := s.Of(bob).Get("one"); got != his || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	for range maxTasks {
		s.Add(bob, NewID())
	}
	if _, err := s.Look(alice, "one"); err == nil || len(s.List()) != maxTasks {
		t.Errorf("%d tasks are open, want %d", len(s.List()), maxTasks)
	}
}

package failure

import (
	"errors"
	"strings"
	"testing"
)

// TestGuard: a panic over what a server sent is an error that names the server.
func TestGuard(t *testing.T) {
	t.Parallel()
	got, err := Guard("github", func() (int, error) { panic("no such key") })
	if got != 0 || err == nil || !strings.Contains(err.Error(), `"github"`) || !strings.Contains(err.Error(), "no such key") {
		t.Errorf("got %d, %v", got, err)
	}
	if err := GuardAll(func() { panic("no such key") }); err == nil || !strings.Contains(err.Error(), "no such key") {
		t.Errorf("got %v", err)
	}
	other := errors.New("other")
	if got, err := Guard("github", func() (int, error) { return 7, other }); got != 7 || !errors.Is(err, other) {
		t.Errorf("got %d, %v; want what the function returned", got, err)
	}
	if err := GuardAll(func() {}); err != nil {
		t.Errorf("nothing happened, and got %v", err)
	}
}

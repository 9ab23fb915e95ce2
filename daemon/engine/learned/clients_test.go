package learned

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-mcp/winnow/router"
)

func openClients(t *testing.T, storage string) *Clients {
	t.Helper()
	c, err := OpenClients(storage)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClients_remembersByNameAndVersion(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	c := openClients(t, storage)
	c.Record("one", "1", true)
	c.Record("two", "1", true)
	c.Record("two", "1", false)
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	c = openClients(t, storage)
	for _, tc := range []struct {
		name, version string
		want          router.Refreshes
	}{
		{"one", "1", router.RefreshesYes},
		{"one", "2", router.RefreshesUnknown},
		{"two", "1", router.RefreshesNo},
		{"three", "1", router.RefreshesUnknown},
	} {
		if got := c.Refreshes(tc.name, tc.version); got != tc.want {
			t.Errorf("%s %s: got %d, want %d", tc.name, tc.version, got, tc.want)
		}
	}
	if err := c.Clear(); err != nil {
		t.Fatal(err)
	}
	if got := openClients(t, storage).Refreshes("one", "1"); got != router.RefreshesUnknown {
		t.Errorf("cleared, it still knows %d", got)
	}
}

func TestClients_isBounded(t *testing.T) {
	t.Parallel()
	c := openClients(t, "")
	for i := range maxClients + 1 {
		c.Record(fmt.Sprint(i), "1", true)
	}
	if len(c.known) != maxClients || c.Refreshes("0", "1") != router.RefreshesUnknown {
		t.Errorf("it holds %d clients, want %d without the oldest", len(c.known), maxClients)
	}
}

func TestClients_damagedFile(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	if err := os.WriteFile(filepath.Join(storage, "clients.learned"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := OpenClients(storage)
	if err == nil {
		t.Error("nothing is said of a file that cannot be read")
	}
	c.Record("one", "1", true)
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	if got := openClients(t, storage).Refreshes("one", "1"); got != router.RefreshesYes {
		t.Errorf("begun anew, it does not keep: %d", got)
	}
}

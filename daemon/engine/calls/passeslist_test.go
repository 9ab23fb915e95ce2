package calls_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/storage"
)

// TestPasses_revoke: a pair is listed with since when, and is none any more when
// it was taken back; another one stays.
func TestPasses_revoke(t *testing.T) {
	t.Parallel()
	p, err := calls.OpenPasses(t.TempDir(), func() string { return "/w" })
	if err != nil || p.Allow(principal.Local, "a", "b", "", time.UnixMilli(7)) != nil || p.Allow(principal.Local, "a", "c", "", time.UnixMilli(8)) != nil {
		t.Fatal(err)
	}
	all := p.List()
	if len(all) != 2 || all[0].Server != "a" || all[0].To != "b" || all[0].Folder != "/w" || all[0].Since != 7 {
		t.Fatalf("listed are %+v", all)
	}
	if err := p.Revoke(t.Context(), all[0]); err != nil || p.Allowed(principal.Local, "a", "b", "t") || !p.Allowed(principal.Local, "a", "c", "t") {
		t.Errorf("%v, allowed are %+v", err, p.List())
	}
}

// TestPasses_principals: what one user lets pass, another does not, kept or for a
// task; what was kept before there were principals is the machine's user's.
func TestPasses_principals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := calls.OpenPasses(dir, func() string { return "/w" })
	alice, bob := principal.Principal{Issuer: "https://a.example", Subject: "alice"}, principal.Principal{Issuer: "https://a.example", Subject: "bob"}
	if err != nil || p.Allow(alice, "a", "b", "", time.UnixMilli(7)) != nil || p.Allow(alice, "a", "c", "t", time.UnixMilli(7)) != nil {
		t.Fatal(err)
	}
	for _, other := range []principal.Principal{bob, principal.Local} {
		if p.Allowed(other, "a", "b", "t") || p.Allowed(other, "a", "c", "t") {
			t.Errorf("%v may pass what alice let pass", other)
		}
	}
	if !p.Allowed(alice, "a", "b", "t") || !p.Allowed(alice, "a", "c", "t") || len(p.List()) != 0 {
		t.Errorf("her own are not allowed, or listed as the machine's user's: %+v", p.List())
	}
	before := `[{"from":"a","to":"b","folder":"/w","since":7}]`
	if err := (storage.Folder{Dir: dir, Suffix: ".passes", Format: "passes 1"}).Write("pairs", []byte(before)); err != nil {
		t.Fatal(err)
	}
	if !p.Allowed(principal.Local, "a", "b", "t") || p.Allowed(alice, "a", "b", "t") {
		t.Errorf("a pair without a principal is not the machine's user's: %s", before)
	}
}

// TestPasses_task: what may pass in a task may not in another, and is written
// nowhere.
func TestPasses_task(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := func() string { return "/w" }
	p, err := calls.OpenPasses(dir, folder)
	if err != nil || p.Allow(principal.Local, "a", "b", "t", time.UnixMilli(7)) != nil {
		t.Fatal(err)
	}
	if !p.Allowed(principal.Local, "a", "b", "t") || p.Allowed(principal.Local, "a", "b", "u") {
		t.Errorf("allowed are %+v", p.List())
	}
	again, err := calls.OpenPasses(dir, folder)
	if err != nil || len(again.List()) != 0 {
		t.Errorf("kept are %+v, %v", again.List(), err)
	}
	if err := p.Revoke(t.Context(), p.List()[0]); err != nil || p.Allowed(principal.Local, "a", "b", "t") {
		t.Errorf("%v, allowed are %+v", err, p.List())
	}
}

// TestPasses_twoAtOnce: of two windows that decide at the same time neither loses
// an answer, and a file that cannot be read is not replaced.
func TestPasses_twoAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := func() string { return "/w" }
	var deciding sync.WaitGroup
	for window := range 2 {
		p, err := calls.OpenPasses(dir, folder)
		if err != nil {
			t.Fatal(err)
		}
		deciding.Go(func() {
			for i := range 20 {
				if err := p.Allow(principal.Local, "a", fmt.Sprint(window, i), "", time.UnixMilli(7)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	deciding.Wait()
	p, err := calls.OpenPasses(dir, folder)
	if all := p.List(); err != nil || len(all) != 40 {
		t.Fatalf("%d of 40 are kept, %v", len(all), err)
	}
	file := filepath.Join(dir, "pairs.passes")
	if err := os.WriteFile(file, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Allow(principal.Local, "a", "b", "", time.UnixMilli(7)); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
}

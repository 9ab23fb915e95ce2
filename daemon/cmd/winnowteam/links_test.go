package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestWinnowd_linksNothingOfTheTeams: what one user starts has no library that
// only a team needs.
func TestWinnowd_linksNothingOfTheTeams(t *testing.T) {
	t.Parallel()
	links := func(command string) string {
		out, err := exec.Command("go", "list", "-deps", "github.com/winnow-mcp/winnow/daemon/cmd/"+command).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	one, team := links("winnowd"), links("winnowteam")
	for _, library := range []string{
		"github.com/jackc/pgx", "github.com/pressly/goose", "github.com/coreos/go-oidc", "github.com/go-jose", "github.com/cedar-policy/cedar-go",
		"github.com/prometheus/client_golang", "golang.org/x/oauth2",
		"github.com/winnow-mcp/winnow/daemon/team",
	} {
		if strings.Contains(one, library) || !strings.Contains(team, library) {
			t.Errorf("%s: winnowd has it: %t, winnowteam: %t", library, strings.Contains(one, library), strings.Contains(team, library))
		}
	}
}

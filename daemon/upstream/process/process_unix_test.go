//go:build unix

package process

import (
	"testing"
)

func TestLookupEnv(t *testing.T) {
	t.Parallel()
	if got := lookupEnv([]string{"A=1", "PATH=/x:/y", "B="}, "PATH"); got != "/x:/y" {
		t.Errorf("PATH %q", got)
	}
	if got := lookupEnv(nil, "PATH"); got != "" {
		t.Errorf("PATH %q", got)
	}
}

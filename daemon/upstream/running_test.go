//go:build unix

package upstream

import (
	"io"
	"os/exec"
	"testing"
	"time"
)

func TestRunning_killEndsWhoIgnoresEverything(t *testing.T) {
	t.Parallel()
	var r running
	// It ignores SIGTERM and its stdin, and so does its child.
	cmd := exec.Command("/bin/sh", "-c", `trap "" TERM; (trap "" TERM; sleep 600) & sleep 600`)
	p, err := startProcess(cmd, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r.add(p)
	r.kill()
	select {
	case <-p.gone:
	case <-time.After(30 * time.Second):
		t.Fatal("it still runs")
	}
	_ = p.stdout.Close()
	r.remove(p)
	if len(r.children) != 0 {
		t.Errorf("%d children are still noted", len(r.children))
	}
}

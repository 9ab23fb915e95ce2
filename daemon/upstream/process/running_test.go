//go:build unix

package process

import (
	"io"
	"os/exec"
	"testing"
	"time"
)

func TestRunning_killEndsWhoIgnoresEverything(t *testing.T) {
	t.Parallel()
	var r Running
	// It ignores SIGTERM and its stdin, and so does its child.
	cmd := exec.Command("/bin/sh", "-c", `trap "" TERM; (trap "" TERM; sleep 600) & sleep 600`)
	p, err := Start(cmd, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r.Add(p)
	r.Kill()
	select {
	case <-p.Gone:
	case <-time.After(30 * time.Second):
		t.Fatal("it still runs")
	}
	_ = p.Stdout.Close()
	r.Remove(p)
	if len(r.children) != 0 {
		t.Errorf("%d children are still noted", len(r.children))
	}
}

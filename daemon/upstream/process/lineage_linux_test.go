package process

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

func TestCutDaemon(t *testing.T) {
	t.Parallel()
	for mark, want := range map[string]bool{"1,2,pid:[3],4": true, "": false, "1,2": false, "x,2,pid:[3],4": false} {
		if _, _, ok := cutDaemon(mark); ok != want {
			t.Errorf("%q is read: %t, want %t", mark, ok, want)
		}
	}
}

// TestProcessorTime: what a child of a child uses counts, and who sleeps uses none.
func TestProcessorTime(t *testing.T) {
	t.Parallel()
	busy := exec.Command("sh", "-c", "sh -c 'while :; do :; done' & wait")
	busy.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	idle := exec.Command("sleep", "60")
	for _, cmd := range []*exec.Cmd{busy, idle} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		_ = syscall.Kill(-busy.Process.Pid, syscall.SIGKILL)
		_ = idle.Process.Kill()
		_, _ = busy.Wait(), idle.Wait()
	}()
	for limit := time.Now().Add(20 * time.Second); ProcessorTime(busy.Process.Pid) < 10; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("a loop has used no tenth of a second of the processor")
		}
	}
	if used := ProcessorTime(idle.Process.Pid); used > 5 {
		t.Errorf("sleep has used %d ticks", used)
	}
}

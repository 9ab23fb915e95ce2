//go:build unix

package process

import (
	"bufio"
	"os/exec"
	"testing"
)

// What ps says of a program and what it has started is near to what [Memory] says.
func TestMemoryByPS(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ps"); err != nil {
		t.Skip("no ps; on Debian: apt install procps")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "(echo up; read x); read y")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	pid, none := cmd.Process.Pid, 1<<30
	got, want := memoryByPS([]int{pid, none})[pid], Memory([]int{pid})[pid]
	if got == 0 || got < want/2 || got > want*2 {
		t.Errorf("%d bytes by ps, and otherwise %d", got, want)
	}
	if held, there := memoryByPS([]int{none})[none]; there {
		t.Errorf("%d bytes of a process that does not exist", held)
	}
	_ = in.Close()
	_ = cmd.Wait() // read fails at the end of its input
}

func TestLookupEnv(t *testing.T) {
	t.Parallel()
	if got := lookupEnv([]string{"A=1", "PATH=/x:/y", "B="}, "PATH"); got != "/x:/y" {
		t.Errorf("PATH %q", got)
	}
	if got := lookupEnv(nil, "PATH"); got != "" {
		t.Errorf("PATH %q", got)
	}
}

package process

import (
	"fmt"
	"os"
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

// TestSweepOrphans: what is marked by a daemon that is gone ends, in a cgroup or
// not, and its group with it.
func TestSweepOrphans(t *testing.T) {
	t.Parallel()
	_, namespace, ok := cutDaemon(selfLineage())
	if !ok {
		t.Fatal("no lineage")
	}
	const noDaemon = 1 << 22 // above the largest process id
	mark := fmt.Sprintf("%d,1,%s,%d", noDaemon, namespace, os.Getpid())
	marked := exec.Command("sleep", "3600")
	marked.Env = append(marked.Environ(), lineageVariable+"="+mark)
	if err := marked.Start(); err != nil {
		t.Fatal(err)
	}
	left := []*exec.Cmd{marked}
	var group cgroup
	for len(left) == 1 {
		if group = newCgroup(mark); group.dir == "" {
			t.Log("no cgroup can be made here")
			break
		}
		bare := exec.Command("sleep", "3600")
		bare.Env = []string{}
		bare.SysProcAttr = &syscall.SysProcAttr{}
		var err error
		if entered, ok := group.enter(bare.SysProcAttr); ok {
			err = bare.Start()
			entered()
			if err == nil {
				left = append(left, bare)
				break
			}
		}
		// The sweep of another test's process may have removed the empty group.
		if _, gone := os.Stat(group.dir); !os.IsNotExist(gone) {
			t.Fatal(err, gone)
		}
	}
	SweepOrphans()
	for _, cmd := range left {
		_ = cmd.Wait() // ends by the test's own limit where it was not killed
	}
	if _, err := os.Stat(group.dir); group.dir != "" && !os.IsNotExist(err) {
		t.Errorf("its cgroup %s is still there: %v", group.dir, err)
	}
}

// TestCgroupFolder finds the folder of a group, whatever else is mounted.
func TestCgroupFolder(t *testing.T) {
	t.Parallel()
	const v1 = "36 31 0:33 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
	for _, tt := range []struct{ groups, mounts, want string }{
		{"0::/user.slice/a.scope\n", v1 + "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup/user.slice/a.scope"},
		{"8:pids:/x\n0::/\n", "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup/unified"},
		{"0::/docker/c\n", "41 31 0:38 /docker /mnt rw - cgroup2 cgroup2 rw\n", "/mnt/c"},
		{"0::/elsewhere\n", "41 31 0:38 /docker /mnt rw - cgroup2 cgroup2 rw\n", ""},
		{"0::/../x\n", "41 31 0:38 / /mnt rw - cgroup2 cgroup2 rw\n", ""},
		{"8:pids:/x\n", v1, ""},
	} {
		if got := cgroupFolder(tt.groups, tt.mounts); got != tt.want {
			t.Errorf("%q in %q: got %q, want %q", tt.groups, tt.mounts, got, tt.want)
		}
	}
}

// TestAboveChildren: the outermost group of a daemon's child is found by its name.
func TestAboveChildren(t *testing.T) {
	t.Parallel()
	child := daemonCgroups("12,345,pid:[4026531836]") + "7"
	for folder, want := range map[string]string{
		"/sys/fs/cgroup/a.scope":                                "",
		"/sys/fs/cgroup/winnow-team.slice/a":                    "",
		"/sys/fs/cgroup/a.scope/" + child:                       "/sys/fs/cgroup/a.scope",
		"/sys/fs/cgroup/" + child + "/b/" + child + "/" + child: "/sys/fs/cgroup",
		"": "",
	} {
		if got := aboveChildren(folder); got != want {
			t.Errorf("%s: got %q, want %q", folder, got, want)
		}
	}
}

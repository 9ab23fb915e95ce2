//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// markLineage does nothing: the environment of other processes cannot be read on these
// systems.
func markLineage(*exec.Cmd) string { return "" }

func ofLineage(string) []stray { return nil }

func SweepOrphans() int { return 0 }

// watch does nothing: descendants cannot be found by a mark.
func watch() {}

// cgroup is unused on these systems.
type cgroup struct{}

// Leave does nothing: there are no cgroups.
func Leave(int) {}

func newCgroup(string) cgroup { return cgroup{} }

func (cgroup) enter(*syscall.SysProcAttr) (entered func(), ok bool) { return func() {}, false }

func (cgroup) outside(int) []stray { return nil }

func (cgroup) kill() {}

func (cgroup) remove() {}

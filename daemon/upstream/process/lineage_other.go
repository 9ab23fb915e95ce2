//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// markLineage marks nothing: the environment of other processes is not read on
// these systems.
func markLineage(*exec.Cmd) string { return "" }

func ofLineage(string) []stray { return nil }

func SweepOrphans() int { return 0 }

// watch does nothing: there is no mark by which to find what is left.
func watch() {}

// cgroup is none on these systems.
type cgroup struct{}

// Leave does nothing: a process is in no group but its session's.
func Leave(int) {}

func newCgroup(string) cgroup { return cgroup{} }

func (cgroup) enter(*syscall.SysProcAttr) (entered func(), ok bool) { return func() {}, false }

func (cgroup) outside(int) []stray { return nil }

func (cgroup) kill() {}

func (cgroup) remove() {}

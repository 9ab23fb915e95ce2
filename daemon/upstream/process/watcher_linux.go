package process

import (
	"os"
	"os/exec"
	"sync"
)

// watch starts a watcher process that kills the descendants of this process's children if
// this process ends without doing so, for example by SIGKILL. The kernel then kills only
// the children. The watcher waits for the end of a pipe whose other end this process
// holds, in a session of its own, so that a signal to this session or group does not
// reach it. It is a shell, which takes little memory and stays available when winnowd is
// replaced. If it cannot be started, the next daemon kills the descendants.
func watch() { watched() }

// watched returns the open end of the pipe, or nil without a watcher. The closure keeps
// the file reachable, because a collected file would be closed.
var watched = sync.OnceValue(func() *os.File {
	self := selfLineage()
	if self == "" {
		return nil
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer theirs.Close()
	cmd := exec.Command("/bin/sh", "-c", sweepScript, "winnowd-watcher", //nolint:noctx // it outlives this process
		lineageVariable+"="+self+",", ownCgroup(), daemonCgroups(self))
	cmd.Dir, cmd.Stdin = "/", theirs
	Detach(cmd)
	if cmd.Start() != nil {
		_ = ours.Close()
		return nil
	}
	_ = cmd.Process.Release()
	return ours
})

// sweepScript takes the prefix of the mark of the daemon's children, the folder of its
// cgroup, and the prefix of its children's cgroups there. It repeats until nothing is
// left, up to 20 times: a process may start another before it is killed.
const sweepScript = `read -r _
tries=0
while [ $tries -lt 20 ]; do
	tries=$((tries + 1))
	left=
	for group in "$2/$3"*; do
		[ -n "$2" ] && [ -d "$group" ] || continue
		echo 1 >"$group/cgroup.kill"
		rmdir "$group" || left=1
	done
	for file in $(grep -lF "$1" /proc/[0-9]*/environ); do
		file=${file#/proc/}
		kill -9 "${file%/environ}" && left=1
	done
	[ -n "$left" ] || exit 0
done 2>/dev/null
`

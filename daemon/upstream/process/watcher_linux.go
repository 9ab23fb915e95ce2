package process

import (
	"os"
	"os/exec"
	"sync"
)

// watch starts a process that ends the children of this one, with all their
// descendants, when this one ends without having done so: by SIGKILL, say. The
// kernel ends the children themselves then, and nobody else. It waits for the end
// of a pipe of which this process alone holds the other side, in a session of its
// own, so that no signal to this one's session or group ends it, too. A shell is
// all that it is: it takes little memory, and is there when winnowd has been
// replaced meanwhile. Where it cannot be started, the next daemon ends them.
func watch() { watched() }

// watched is the side of the pipe that is kept open: the function keeps what it
// returned, or the file would be closed once it is unreachable. Nil without a watcher.
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

// sweepScript is given how the mark of the daemon's children begins, the folder of
// its cgroup and how those of its children begin there. It looks until nothing is
// left: what is about to be killed may start another process.
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

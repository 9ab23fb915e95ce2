//go:build unix

package process

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// Detach makes a command outlive this process, its terminal and its group, and
// no descendant of a server, even where this process is one: once it is started, see
// [Leave].
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = slices.DeleteFunc(cmd.Env, func(pair string) bool { return strings.HasPrefix(pair, "WINNOW_LINEAGE=") })
}

//go:build unix

package process

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// Detach lets a command outlive this process, its terminal and its process group. It also
// removes the mark of a server's descendant, see markLineage. After the start, call
// [Leave].
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = slices.DeleteFunc(cmd.Env, func(pair string) bool { return strings.HasPrefix(pair, "WINNOW_LINEAGE=") })
}

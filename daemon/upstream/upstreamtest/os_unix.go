//go:build unix

package upstreamtest

import (
	"os"
	"os/exec"
	"syscall"
)

func terminate() []os.Signal { return []os.Signal{syscall.SIGTERM} }

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

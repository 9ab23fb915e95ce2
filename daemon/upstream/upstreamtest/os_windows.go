package upstreamtest

import (
	"os"
	"os/exec"
	"syscall"
)

func terminate() []os.Signal { return []os.Signal{os.Interrupt} }

func detach(cmd *exec.Cmd) {
	const detachedProcess = 0x8
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess}
}

package process

import "syscall"

// dieWithParent makes the kernel kill the child when the daemon ends by a crash or a
// SIGKILL. Strictly, the signal is sent when the thread that started the child ends. Go
// ends only threads that a goroutine has locked and left locked, which nothing here does.
// If it happened, the server would be restarted like any other that died.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

package process

import "syscall"

// dieWithParent has the kernel kill the child when the daemon ends without a
// chance to do so, by a crash or a SIGKILL. Strictly it is when the thread that
// started the child ends; Go ends only threads that a goroutine has locked and
// left locked, which nothing here does. If it happened all the same, the
// server would be started again like any other that died.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

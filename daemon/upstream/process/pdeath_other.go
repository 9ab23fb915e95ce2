//go:build unix && !linux

package process

import "syscall"

// dieWithParent does nothing: these systems have no such request. A child
// whose daemon is killed finds its stdin closed.
func dieWithParent(*syscall.SysProcAttr) {}

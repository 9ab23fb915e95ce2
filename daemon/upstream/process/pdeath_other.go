//go:build unix && !linux

package process

import "syscall"

// dieWithParent does nothing: these systems have no parent-death signal. A child of a
// killed daemon reads the end of its stdin.
func dieWithParent(*syscall.SysProcAttr) {}

//go:build unix && !linux

package process

import "syscall"

// stray is a descendant outside its server's process group. Without /proc there is no
// cheap way to find one; only the group is killed.
type stray struct{}

func (stray) signal(syscall.Signal) {}

func descendantsOutside(int) []stray { return nil }

// Memory returns nil: it requires /proc.
func Memory([]int) map[int]int64 { return nil }

// ProcessorTime returns 0: it requires /proc.
func ProcessorTime(int) uint64 { return 0 }

//go:build unix && !linux

package process

import "syscall"

// stray is a descendant outside its server's process group. Without /proc there is no
// cheap way to find one; only the group is killed.
type stray struct{}

func (stray) signal(syscall.Signal) {}

func descendantsOutside(int) []stray { return nil }

// Memory returns the resident memory in bytes of each process with its descendants.
// Shared memory is counted for each. Unknown processes are left out.
func Memory(pids []int) map[int]int64 { return memoryByPS(pids) }

// ProcessorTime returns 0: it requires /proc.
func ProcessorTime(int) uint64 { return 0 }

//go:build unix

package process

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// psPatience is how long ps may take.
const psPatience = 2 * time.Second

// memoryByPS is [Memory] where there is no /proc: by POSIX's ps, which macOS, the BSDs
// and Linux have. It returns nil if ps fails.
func memoryByPS(pids []int) map[int]int64 {
	ctx, cancel := context.WithTimeout(context.Background(), psPatience)
	defer cancel()
	// rss is no column of POSIX's but of all of these, in units of 1024 bytes.
	out, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=", "-o", "ppid=", "-o", "rss=").Output()
	if err != nil {
		return nil
	}
	parents, resident := map[int]int{}, map[int]int64{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		pid, err1 := strconv.Atoi(fields[0])
		parent, err2 := strconv.Atoi(fields[1])
		kibibytes, err3 := strconv.ParseInt(fields[2], 10, 64)
		if err1 == nil && err2 == nil && err3 == nil {
			parents[pid], resident[pid] = parent, kibibytes<<10
		}
	}
	return withDescendants(parents, func(pid int) int64 { return resident[pid] }, pids)
}

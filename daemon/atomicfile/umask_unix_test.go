//go:build !windows

package atomicfile

import "io/fs"

func umaskForTest() fs.FileMode { return umask }

package atomicfile

import "io/fs"

func umaskForTest() fs.FileMode { return 0 }

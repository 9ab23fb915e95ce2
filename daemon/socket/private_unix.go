//go:build unix

package socket

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// notPrivate returns why a folder is not private to the user, or "".
func notPrivate(info fs.FileInfo) string {
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return "its owner is not known"
	case int(owner.Uid) != os.Geteuid():
		return fmt.Sprintf("it belongs to user %d", owner.Uid)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Sprintf("others may enter it (mode %04o)", info.Mode().Perm())
	}
	return ""
}

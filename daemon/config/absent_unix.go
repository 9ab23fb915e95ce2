//go:build !windows

package config

import (
	"errors"
	"syscall"
)

// isNotDir reports whether a file is where a folder should be.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

package config

import (
	"errors"
	"syscall"
)

// isNotDir reports whether a file is where a folder should be.
func isNotDir(err error) bool { return errors.Is(err, syscall.ERROR_PATH_NOT_FOUND) }

package lockfile

import (
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
)

// Forget removes a server from the user's own lock in the storage of sessions without a
// view. What the server sends next counts as seen for the first time.
func Forget(storagePath, server string) error {
	count, err := toollock.Forget(storagePath, server)
	if err == nil && count == 0 {
		err = fmt.Errorf("nothing is locked of a server %q in %s; check its name, or give the session's -storage", server, storagePath)
	}
	return err
}

package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/imports"
	"github.com/winnow-mcp/winnow/protocol"
)

// Apply stores what an undo needs, and makes a move on disk. It writes Winnow's own file
// first, so that a failure in between leaves a server in both files. A move without any
// write is forgotten.
func (h History) Apply(p imports.Plan, settings []protocol.ImportSetting, now time.Time) (Record, error) {
	r, err := h.Keep(p, settings, now)
	if err != nil {
		return r, err
	}
	if err := errors.Join(restrict(p.Target.Path, p.Source.Path), put(p.Target)); err != nil {
		return r, errors.Join(err, h.Forget(r.ID))
	}
	return r, put(p.Source)
}

// restrict removes permissions from a file that another file does not grant, because the
// moved content may be secret. It does nothing if either file does not exist.
func restrict(path, like string) error {
	to, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the permissions of %s: %w", path, err)
	}
	from, err := os.Stat(like)
	if err != nil {
		return fmt.Errorf("read the permissions of %s: %w", like, err)
	}
	if mode := to.Mode().Perm() & from.Mode().Perm(); mode != to.Mode().Perm() {
		return os.Chmod(path, mode)
	}
	return nil
}

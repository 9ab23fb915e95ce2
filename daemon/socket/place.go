package socket

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Proxy is used as the workspace for the user's background proxy.
const Proxy = "\x00proxy"

// Place says where the sockets are. The zero value is the user's own place on this
// machine.
type Place struct {
	// Environ looks up the environment; nil is os.LookupEnv.
	Environ func(name string) (string, bool)
}

// errPrivate is the cause if a folder or a process is not private to the user.
var errPrivate = errors.New("it is not private to you")

// dir returns the folder of the sockets: under XDG_RUNTIME_DIR if set, else in the user's
// cache. It must be the same for all of the user's processes, so it does not depend on a
// workspace or a host.
func (p Place) dir() (string, error) {
	look := p.Environ
	if look == nil {
		look = os.LookupEnv
	}
	if runtimeDir, ok := look("XDG_RUNTIME_DIR"); ok && filepath.IsAbs(runtimeDir) {
		return filepath.Join(runtimeDir, "winnow"), nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the socket: %w", err)
	}
	return filepath.Join(cache, "winnow", "run"), nil
}

// socket returns the path of a workspace's socket, or for "" of the holder's. Its name is
// a short hash, because a socket's path is limited to about a hundred bytes.
func (p Place) socket(workspace string) (string, error) {
	dir, err := p.dir()
	if err != nil {
		return "", err
	}
	if workspace == "" {
		return filepath.Join(dir, "holder.sock"), nil
	}
	if workspace == Proxy {
		return filepath.Join(dir, "proxy.sock"), nil
	}
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	const nameBytes = 8
	sum := sha256.Sum256([]byte(real))
	return filepath.Join(dir, hex.EncodeToString(sum[:nameBytes])+".sock"), nil
}

// checkDir returns the problem of the sockets' folder. It returns [fs.ErrNotExist] if the
// folder does not exist.
func checkDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder; remove it", dir)
	}
	if why := notPrivate(info); why != "" {
		return fmt.Errorf("%s: %w: %s; remove it, or set XDG_RUNTIME_DIR to a folder of your own", dir, errPrivate, why)
	}
	return nil
}

// makeDir creates the folder of the sockets if needed, and checks it.
func makeDir(dir string) error {
	err := checkDir(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return checkDir(dir)
}

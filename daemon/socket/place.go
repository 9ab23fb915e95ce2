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

// Proxy stands in the place of a workspace for the user's proxy in the background.
const Proxy = "\x00proxy"

// Place says where the sockets are. The zero value is the user's own place on
// this machine.
type Place struct {
	// Environ looks up the environment; nil is os.LookupEnv.
	Environ func(name string) (string, bool)
}

// errPrivate is the cause when a folder or a process is not the user's alone.
var errPrivate = errors.New("it is not private to you")

// dir returns the folder of the sockets: under XDG_RUNTIME_DIR where there is
// one, else in the user's cache. It must be the same for every process of the
// user's, so nothing of a workspace's or a host's enters it.
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

// socket returns the path of a workspace's socket, or without one of the holder's. Its name is short, because a
// socket's whole path may have some hundred bytes only, and does not tell the
// workspace.
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

// checkDir reports what is wrong with the folder of the sockets. A folder that
// does not exist is [fs.ErrNotExist].
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

// makeDir makes the folder of the sockets if there is none, and checks it.
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

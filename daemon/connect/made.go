package connect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
)

// recordSuffix is the extension of earlier versions' records, which are in the same
// folder as the marks.
const recordSuffix = ".json"

// mark returns the file that records that Connect created a client's file, so that an
// undo may delete it. It contains the path only.
func mark(dir, path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(dir, hex.EncodeToString(sum[:8]))
}

// noteMade records whether Connect created a client's file.
func noteMade(dir, path string, made bool) error {
	if !made {
		if err := os.Remove(mark(dir, path)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(dir, privateDir); err != nil {
		return err
	}
	return atomicfile.Write(mark(dir, path), []byte(path), privateFile)
}

// made reports whether Connect created a client's file.
func made(dir, path string) bool {
	_, err := os.Lstat(mark(dir, path))
	return err == nil
}

// ClearRecords deletes earlier versions' records in a [Connector]'s Dir: copies of
// clients' files, which may contain secrets. It keeps who created a file.
func ClearRecords(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	failed := []error{err}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), recordSuffix) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		var record struct {
			File   string  `json:"file"`
			Before *string `json:"before"`
		}
		if data, err := atomicfile.Read(path, 2*maxFile); err == nil && json.Unmarshal(data, &record) == nil && record.File != "" && record.Before == nil {
			failed = append(failed, noteMade(dir, record.File, true))
		}
		failed = append(failed, os.Remove(path))
	}
	return errors.Join(failed...)
}

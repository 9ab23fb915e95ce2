package toollock

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/winnow-mcp/winnow/daemon/storage"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Records stores one record per server. It is safe for concurrent use, also by several
// processes.
type Records interface {
	// All reads every record. The error names those that cannot be used.
	All() ([]*lock.Record, error)
	// Damaged reports whether All has found one of a server that cannot be used.
	Damaged(folder, server string) bool
	// Merge writes a record merged with what another process has written, and returns the
	// merged one, even if the write fails.
	Merge(record *lock.Record) (*lock.Record, error)
}

// FileRecords stores records below a storage path; "" stores nothing.
func FileRecords(storagePath string) Records { return filesIn(storagePath) }

// files implements [Records] with one file each.
type files struct {
	folder storage.Folder
	// damaged holds the names of the unreadable files.
	damaged map[string]bool
}

// fileName returns a hash as the file name of a server's record, because names and paths
// may contain characters that are invalid in file names.
func fileName(id identity) string {
	sum := sha256.Sum256([]byte(id.folder + "\x00" + id.name))
	return hex.EncodeToString(sum[:16])
}

// Forget deletes the records of servers with a name below a storage path, so that their
// content counts as seen for the first time. It returns how many there were. A running
// session must be restarted.
func Forget(storagePath, server string) (int, error) {
	kept := filesIn(storagePath)
	records, err := kept.All()
	count := 0
	for _, record := range records {
		if record.Server != server {
			continue
		}
		if failed := kept.folder.Remove(fileName(identity{record.Folder, record.Server})); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		count++
	}
	return count, err
}

// filesIn is [FileRecords].
func filesIn(storagePath string) files {
	if storagePath == "" {
		return files{damaged: map[string]bool{}}
	}
	return files{storage.Folder{Dir: filepath.Join(storagePath, "lock"), Suffix: ".json", Format: "lock 1"}, map[string]bool{}}
}

// Damaged implements [Records].
func (f files) Damaged(folder, server string) bool {
	return f.damaged[fileName(identity{folder, server})]
}

// All implements [Records].
func (f files) All() ([]*lock.Record, error) {
	blobs, err := f.folder.List()
	failed := []error{err}
	var records []*lock.Record
	for _, name := range f.folder.Misplaced() {
		f.damaged[name] = true
		failed = append(failed, fmt.Errorf("the lock on tools %s is no file, and the tools of its server are held back; "+
			"remove it, restart Winnow, and approve the server", f.folder.Path(name)))
	}
	for _, blob := range blobs {
		record, err := f.read(blob.Name)
		if err != nil {
			f.damaged[blob.Name] = true
			failed = append(failed, fmt.Errorf("the lock on tools %s is damaged, and the tools of its server are held back; approve the server to begin it anew: %w",
				f.folder.Path(blob.Name), err))
			continue
		}
		if record != nil {
			records = append(records, record)
		}
	}
	return records, errors.Join(failed...)
}

// read reads a record, or returns nil if there is none.
func (f files) read(name string) (*lock.Record, error) {
	data, err := f.folder.Read(name)
	if err != nil || data == nil {
		return nil, err
	}
	var record lock.Record
	if err := json.Unmarshal(data, &record); err != nil {
		return nil, ijson.Words(err)
	}
	if record.Version != lock.Version {
		return nil, fmt.Errorf("it has version %d, and this winnowd reads %d", record.Version, lock.Version)
	}
	if fileName(identity{record.Folder, record.Server}) != name {
		return nil, fmt.Errorf("it is the lock of another server, %q", record.Server)
	}
	return record.Upgraded(), nil
}

// Merge implements [Records].
func (f files) Merge(record *lock.Record) (*lock.Record, error) {
	name := fileName(identity{record.Folder, record.Server})
	unlock, err := f.folder.Lock(name)
	if err != nil {
		return record, err
	}
	defer unlock()
	if other, err := f.read(name); err == nil {
		record = record.Merge(other)
	}
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(record); err != nil {
		return nil, err
	}
	return record, f.folder.Write(name, data.Bytes())
}

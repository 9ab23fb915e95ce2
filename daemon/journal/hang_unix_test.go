//go:build unix

package journal

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestJournal_DiskThatHangs: while a write hangs, recording goes on, since it
// holds no lock that the write needs. A pipe that nobody reads stands for the
// disk.
func TestJournal_DiskThatHangs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), name)
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	j := Open(Options{Dir: filepath.Dir(path)})
	for range 3 * queueLength { // returns, although nothing is written
		j.Record(Entry{Kind: Call, Outcome: "ok"})
	}
	if lost := j.lost.Load(); lost < queueLength {
		t.Errorf("%d entries are left out, want at least %d", lost, queueLength)
	}
	pipe, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	go j.Close()
	written, err := io.ReadAll(pipe) // until the record is closed
	if err != nil || len(written) == 0 {
		t.Errorf("%d bytes are written once the disk is back, %v", len(written), err)
	}
	<-j.written
}

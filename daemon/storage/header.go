package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A file consists of a line with magic and the format, the CRC-32C of the blob as four
// big-endian bytes, and the blob.
const magic = "winnow "

// maxBlob is the maximum size of a file that is read.
const maxBlob = 1 << 30

// ErrUnusable is wrapped by the errors of existing blobs that are damaged, or of another
// version of Winnow.
var ErrUnusable = errors.New("the file cannot be used")

// wrap returns a blob with its header.
func (f Folder) wrap(blob []byte) []byte {
	data := make([]byte, 0, len(magic)+len(f.Format)+1+crc32.Size+len(blob))
	data = append(data, magic...)
	data = append(data, f.Format...)
	data = append(data, '\n')
	data = binary.BigEndian.AppendUint32(data, checksum(blob))
	return append(data, blob...)
}

// unwrap verifies the header and returns the blob.
func (f Folder) unwrap(data []byte) ([]byte, error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if format, ok := bytes.CutPrefix(line, []byte(magic)); !ok || string(format) != f.Format {
		return nil, fmt.Errorf("%w: it does not begin with %q; it is damaged or of another version", ErrUnusable, magic+f.Format)
	}
	if len(rest) < crc32.Size || binary.BigEndian.Uint32(rest) != checksum(rest[crc32.Size:]) {
		return nil, fmt.Errorf("%w: it is damaged, the checksum differs", ErrUnusable)
	}
	return rest[crc32.Size:], nil
}

// checksum detects damage, not attacks: a process that can write here can write anything.
func checksum(blob []byte) uint32 { return crc32.Checksum(blob, crc32.MakeTable(crc32.Castagnoli)) }

package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A file is a line that begins with magic and ends with the format, the CRC-32C
// of what follows as four big-endian bytes, and the blob.
const magic = "winnow "

// maxBlob is the most bytes of a file that is read.
const maxBlob = 1 << 30

// ErrUnusable is wrapped by the errors of blobs that are there and cannot be
// used: they are damaged, or of another version of Winnow.
var ErrUnusable = errors.New("the file cannot be used")

// wrap puts the header before a blob.
func (f Folder) wrap(blob []byte) []byte {
	data := make([]byte, 0, len(magic)+len(f.Format)+1+crc32.Size+len(blob))
	data = append(data, magic...)
	data = append(data, f.Format...)
	data = append(data, '\n')
	data = binary.BigEndian.AppendUint32(data, checksum(blob))
	return append(data, blob...)
}

// unwrap checks the header and returns what follows it.
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

// checksum finds damage, not malice: who can write here can write anything.
func checksum(blob []byte) uint32 { return crc32.Checksum(blob, crc32.MakeTable(crc32.Castagnoli)) }

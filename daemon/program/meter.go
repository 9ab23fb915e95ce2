package program

import (
	"context"
	"errors"
	"fmt"
	"math"

	"go.starlark.net/starlark"
)

// Approximate sizes in bytes of an item of a list, an entry of a dict, and an empty dict.
const (
	itemBytes  = 32
	entryBytes = 128
	dictBytes  = 640
	// lookBytes is the fixed cost of reading a value.
	lookBytes = 256
)

const (
	// maxNesting bounds the nesting of values that are compared, hashed or encoded.
	maxNesting = 100
	// maxBits bounds the bits of an operand, maxDigits the digits that are parsed as a
	// number: the time for both grows quadratically.
	maxBits   = 4096
	maxDigits = 1000
)

// Errors of a meter.
var (
	errBytes   = errors.New("the program makes more data than it may; choose the parts that you need early")
	errWork    = errors.New("the program looks at more data than it may; do less in loops")
	errNesting = fmt.Errorf("a value is nested deeper than %d", maxNesting)
	errBits    = fmt.Errorf("a number has more than %d bits", maxBits)
)

// meter counts what a program allocates and reads. It is not safe for concurrent use.
type meter struct {
	ctx         context.Context //nolint:containedctx // that of the run
	bytes, work int64
	looks       int
}

// make charges n allocated bytes.
func (m *meter) make(n int64) error {
	if m.bytes -= n; n < 0 || m.bytes < 0 {
		return errBytes
	}
	return nil
}

// weigh returns the size of values as trees. A value that occurs twice counts twice,
// because readers read it twice.
func (m *meter) weigh(values ...starlark.Value) (total int64, err error) {
	before := m.work
	for _, v := range values {
		if err := m.look(v, 0); err != nil {
			return 0, err
		}
	}
	return before - m.work, nil
}

func (m *meter) look(v starlark.Value, depth int) error {
	if m.work -= shallow(v) + lookBytes; m.work < 0 {
		return errWork
	}
	if m.looks++; m.looks%(1<<16) == 0 && m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	if depth > maxNesting {
		return errNesting
	}
	switch v := v.(type) {
	case *starlark.Dict:
		for key, value := range v.Entries() {
			if err := m.look(key, depth+1); err != nil {
				return err
			}
			if err := m.look(value, depth+1); err != nil {
				return err
			}
		}
	case *starlark.List, starlark.Tuple, *starlark.Set:
		for item := range starlark.Elements(v.(starlark.Iterable)) { //nolint:forcetypeassert // all three are
			if err := m.look(item, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// shallow returns the size of a value without its items.
func shallow(v starlark.Value) int64 {
	switch v := v.(type) {
	case starlark.String:
		return int64(len(v)) + itemBytes
	case starlark.Int:
		return int64(v.BigInt().BitLen()/8) + itemBytes
	case *starlark.Dict:
		return dictBytes + entryBytes*int64(v.Len())
	case *starlark.Set:
		return dictBytes + entryBytes*int64(v.Len())
	}
	if n := starlark.Len(v); n > 0 {
		return int64(min(n, math.MaxInt32)) * itemBytes
	}
	return itemBytes
}

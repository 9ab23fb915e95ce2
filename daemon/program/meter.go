package program

import (
	"context"
	"errors"
	"fmt"
	"math"

	"go.starlark.net/starlark"
)

// What values take, in bytes, roughly: an item of a list, an entry of a dict, and a
// dict with none.
const (
	itemBytes  = 32
	entryBytes = 128
	dictBytes  = 640
	// lookBytes is what a look at a value costs, however short it is.
	lookBytes = 256
)

const (
	// maxNesting is how deep values are that are compared, hashed or written.
	maxNesting = 100
	// maxBits is the most bits of an operand, and maxDigits the most digits that
	// become a number: both take time that grows with their square.
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

// meter counts what a program makes and looks at. It is used by one goroutine.
type meter struct {
	ctx         context.Context //nolint:containedctx // that of the run
	bytes, work int64
	looks       int
}

// make notes that a program makes a number of bytes.
func (m *meter) make(n int64) error {
	if m.bytes -= n; n < 0 || m.bytes < 0 {
		return errBytes
	}
	return nil
}

// weigh returns the size of values as the trees that they are: what a list holds
// twice counts twice, because all that reads it reads it twice.
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

// shallow returns what a value takes by itself.
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

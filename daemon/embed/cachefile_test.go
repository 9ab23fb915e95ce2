package embed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"testing"
)

func sameRecord(a, b record) bool { return a.day == b.day && slices.Equal(a.vector, b.vector) }

// sample returns n records of dimension dim.
func sample(space Space, n, dim int) records {
	all := records{}
	for i := range n {
		v := make([]float32, dim)
		v[i%dim] = 1
		all[keyOf(space, string(rune('a'+i)))] = record{vector: v, day: uint32(i)}
	}
	return all
}

func TestCacheFile_RoundTrip(t *testing.T) {
	t.Parallel()
	space := Space{Provider: "openai", Endpoint: "https://x/y", Model: "m"}
	for _, n := range []int{0, 1, 7} {
		want := sample(space, n, 3)
		data := encodeCache(space, 3, want)
		dim, got, err := decodeCache(space, data)
		if err != nil || dim != 3 || !maps.EqualFunc(got, want, sameRecord) {
			t.Errorf("%d records: dimension %d, %v, %v", n, dim, got, err)
		}
		if !bytes.Equal(encodeCache(space, 3, got), data) {
			t.Errorf("%d records: equal content gives other bytes", n)
		}
	}
}

func TestCacheFile_Damage(t *testing.T) {
	t.Parallel()
	space := Space{Provider: "openai", Endpoint: "https://x/y", Model: "m"}
	good := encodeCache(space, 3, sample(space, 4, 3))
	for i := range good {
		if _, _, err := decodeCache(space, good[:i]); !errors.Is(err, errCorrupt) {
			t.Fatalf("cut at byte %d: got %v, want errCorrupt", i, err)
		}
	}
	other := space
	other.Model = "n"
	if _, _, err := decodeCache(other, good); !errors.Is(err, errCorrupt) {
		t.Errorf("another model's: got %v, want errCorrupt", err)
	}
}

// TestKeyOf_PartsDoNotRunTogether is why each part has its length before it.
func TestKeyOf_PartsDoNotRunTogether(t *testing.T) {
	t.Parallel()
	seen := map[textKey]string{}
	for name, one := range map[string]struct {
		space Space
		text  string
	}{
		"plain":     {Space{Provider: "ab", Model: "c"}, "d"},
		"shifted":   {Space{Provider: "a", Model: "bc"}, "d"},
		"shifted 2": {Space{Provider: "ab", Model: "cd"}, ""},
		"endpoint":  {Space{Provider: "ab", Endpoint: "c"}, "d"},
		"dimension": {Space{Provider: "ab", Model: "c", Dim: 256}, "d"},
		"text":      {Space{Provider: "ab", Model: "c"}, "e"},
	} {
		key := keyOf(one.space, one.text)
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[key] = name
	}
}

// FuzzDecodeCache gives the decoder what follows the name of the space.
func FuzzDecodeCache(f *testing.F) {
	space := Space{Provider: "p", Endpoint: "e", Model: "m"}
	good := encodeCache(space, 2, sample(space, 2, 2))
	f.Add(good[len(space.header()):])
	f.Add(binary.LittleEndian.AppendUint32([]byte{255, 255, 255, 255}, 0))
	f.Fuzz(func(t *testing.T, rest []byte) {
		dim, all, err := decodeCache(space, append(space.header(), rest...))
		if err != nil {
			return
		}
		for _, one := range all {
			if len(one.vector) != dim {
				t.Fatalf("a vector of %d among those of %d", len(one.vector), dim)
			}
		}
	})
}

package static

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"
)

// TestModelFile_IsPinned keeps the name, which keys caches of vectors, true to
// the content.
func TestModelFile_IsPinned(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte(modelFile))
	if got := hex.EncodeToString(sum[:]); got != modelSHA256 {
		t.Errorf("the embedded model hashes to %s, load.go says %s", got, modelSHA256)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	m := loadModel(t)
	if m.Dim() != 256 {
		t.Errorf("Dim() = %d, want 256", m.Dim())
	}
	if want := "static-256d-20k-int8-" + modelSHA256[:12]; m.Name() != want {
		t.Errorf("Name() = %q, want %q", m.Name(), want)
	}
	if again := loadModel(t); again != m {
		t.Error("a second Load parsed the model again")
	}
}

// file builds a model file of dimension 2.
func file(tokens []string, unknown int, scales []float32, values []int8) string {
	vocab := strings.Join(tokens, "\n")
	b := []byte(magic)
	for _, field := range []int{2, len(tokens), unknown, len(vocab)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(field))
	}
	b = append(b, vocab...)
	for _, scale := range scales {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
	}
	for _, v := range values {
		b = append(b, byte(v))
	}
	return string(b)
}

func TestParse_Faults(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	good := file([]string{"[UNK]", "a"}, 0, []float32{1, 1}, []int8{1, 2, 3, 4})
	tests := []struct{ name, data, want string }{
		{"good", good, ""},
		{"empty", "", "not a SEM1 file"},
		{"another format", "GGUF" + good[4:], "not a SEM1 file"},
		{"cut", good[:len(good)-1], "its header asks for"},
		{"longer", good + "x", "its header asks for"},
		{"header alone", good[:headerSize], "its header asks for"},
		{"no dimension", good[:4] + "\x00\x00\x00\x00" + good[8:], "impossible header"},
		{"huge dimension", good[:4] + "\xff\xff\xff\xff" + good[8:], "impossible header"},
		{"unknown token out of range", file([]string{"[UNK]"}, 1, []float32{1}, []int8{1, 2}), "impossible header"},
		{"token twice", file([]string{"a", "a"}, 0, []float32{1, 1}, make([]int8, 4)), `"a" occurs twice`},
		{"scale NaN", file([]string{"a"}, 0, []float32{nan}, make([]int8, 2)), "row 0 has scale NaN"},
		{"scale negative", file([]string{"a"}, 0, []float32{-1}, make([]int8, 2)), "row 0 has scale -1"},
		{"scale too large", file([]string{"a"}, 0, []float32{17}, make([]int8, 2)), "row 0 has scale 17"},
		{"newline within a token", file([]string{"a\nb"}, 0, []float32{1}, make([]int8, 2)), "2 tokens for 1 rows"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("test", test.data)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("parse: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("parse: %v, want an error with %q", err, test.want)
			}
		})
	}
}

// FuzzParse checks that a file that is accepted can be used.
func FuzzParse(f *testing.F) {
	f.Add(file([]string{"[UNK]", "a", "##b"}, 0, []float32{0, 1, 16}, []int8{1, 2, 3, 4, 5, 6}), "a ab b")
	f.Add(file([]string{"##", "#", ""}, 2, []float32{0, 1, 2}, []int8{-128, 127, 0, 0, 5, 6}), "## #")
	f.Fuzz(func(t *testing.T, data, text string) {
		m, err := Parse("fuzz", data)
		if err != nil {
			return
		}
		checkVector(t, m, text)
	})
}

package embed

import (
	"strconv"
	"testing"
)

func TestMemo_ForgetsTheOldest(t *testing.T) {
	t.Parallel()
	m := newMemo()
	for i := range memoSize + 10 {
		m.put(strconv.Itoa(i), []float32{float32(i)})
	}
	m.put("20", []float32{-1}) // known: replaced, nothing is forgotten for it
	for i := range memoSize + 10 {
		v, ok := m.get(strconv.Itoa(i))
		if ok != (i >= 10) {
			t.Errorf("query %d is remembered: %v", i, ok)
		}
		if want := float32(i); ok && i != 20 && v[0] != want {
			t.Errorf("query %d has vector %v", i, v)
		}
	}
	if v, _ := m.get("20"); v[0] != -1 {
		t.Errorf("a newer vector was not taken: %v", v)
	}
}

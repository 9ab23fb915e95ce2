package bank

import (
	"os"
	"testing"
)

func TestSource_IsSound(t *testing.T) {
	t.Parallel()
	servers, err := ReadDir(os.DirFS("servers"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range servers {
		for _, problem := range Check(&servers[i]) {
			t.Error(problem)
		}
	}
}

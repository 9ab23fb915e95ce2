package main

import "testing"

// TestGenerated fails when a file that mirrors package protocol is out of date.
// Its message is the command to run.
func TestGenerated(t *testing.T) {
	if err := doMain(false); err != nil {
		t.Fatal(err)
	}
}

func TestGenerate_IsDeterministic(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	first, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	second, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for i := range first {
		if string(first[i].content) != string(second[i].content) {
			t.Errorf("%s: two runs differ", first[i].path)
		}
	}
}

func TestDoMain_OutsideACheckout(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := doMain(true); err == nil {
		t.Fatal("doMain found a checkout where there is none")
	}
}

package main

import (
	"slices"
	"testing"
)

// TestProgramPages: only pages that are as they are in the program's file, and
// stay so, are given back.
func TestProgramPages(t *testing.T) {
	t.Parallel()
	const head, clean = "00c5e000-01a2b000 r--p 0085e000 fe:00 42    /opt/a b/winnowd\n", "Rss: 8 kB\nAnonymous: 0 kB\nSwap: 0 kB\nVmFlags: rd mr\n"
	one := []pages{{0xc5e000, 0x1a2b000}}
	for smaps, want := range map[string][]pages{
		head + clean: one,
		"00400000-00c5e000 r-xp 00000000 fe:00 42    /opt/a b/winnowd\n" + clean + head + clean: one,
		head + "Anonymous: 4 kB\nSwap: 0 kB\nVmFlags: rd\n":                                     nil,
		head + "Anonymous: 0 kB\nSwap: 4 kB\nVmFlags: rd\n":                                     nil,
		head: nil,
		"01a2b000-01b00000 rw-p 0162b000 fe:00 42    /opt/a b/winnowd\n" + clean:       nil,
		"00c5e000-01a2b000 r--p 0085e000 fe:00 42    /opt/winnowd\n" + clean:           nil,
		"7f0000000000-7f0000001000 r--p 00000000 00:00 0 \n" + clean:                   nil,
		"x-y r--p 0085e000 fe:00 42 /opt/a b/winnowd\n" + clean:                        nil,
		"02-01 r--p 0085e000 fe:00 42 /opt/a b/winnowd\n" + clean:                      nil,
		"00c5e000-01a2b000 r--p 0085e000 fe:00 42    /opt/a b/winnowd.other\n" + clean: nil,
	} {
		if got := programPages(smaps, "/opt/a b/winnowd"); !slices.Equal(got, want) {
			t.Errorf("%q: got %x, want %x", smaps, got, want)
		}
	}
	releaseProgramPages() // and the test, whose pages they were, goes on
}

package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// releaseProgramPages drops the read-only pages of the program's file, mostly tables of
// the ranker, from the process. The kernel keeps them in the page cache, from which a
// later access restores them without disk I/O.
func releaseProgramPages() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, p := range programPages(string(smaps), program) {
		// It fails for locked pages, which stay.
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, p.from, p.to-p.from, unix.MADV_DONTNEED)
	}
}

// pages is an address range.
type pages struct{ from, to uintptr }

// programPages returns the pages in a /proc/PID/smaps that equal the program's file:
// neither writable nor executable, and never changed. Relocated pages are excluded,
// because their changes would be lost.
func programPages(smaps, program string) []pages {
	var found []pages
	var current pages
	candidate := false
	for line := range strings.Lines(smaps) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2:
		case !strings.HasSuffix(fields[0], ":"): // the header of the next mapping
			current, candidate = pagesOf(fields, program)
		case (fields[0] == "Anonymous:" || fields[0] == "Swap:") && fields[1] != "0":
			candidate = false
		case fields[0] == "VmFlags:" && candidate: // the last line of a mapping
			found = append(found, current)
			candidate = false
		}
	}
	return found
}

// pagesOf decodes the header of a mapping; ok is false unless it is a read-only mapping
// of the program's file.
func pagesOf(fields []string, program string) (p pages, ok bool) {
	if len(fields) < 6 || fields[1] != "r--p" || strings.Join(fields[5:], " ") != program {
		return p, false
	}
	first, last, _ := strings.Cut(fields[0], "-")
	from, err := strconv.ParseUint(first, 16, strconv.IntSize)
	if err != nil {
		return p, false
	}
	to, err := strconv.ParseUint(last, 16, strconv.IntSize)
	return pages{uintptr(from), uintptr(to)}, err == nil && from < to
}

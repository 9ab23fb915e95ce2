package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// releaseProgramPages takes the pages of the program's own file that are only
// read, most of them tables of the ranker, out of the process. The system keeps
// them in its cache of files, from where a page that is read again comes back
// without a read of the disk.
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
		// It fails for pages that are locked into memory, which then stay.
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, p.from, p.to-p.from, unix.MADV_DONTNEED)
	}
}

// pages are those from an address up to another one.
type pages struct{ from, to uintptr }

// programPages returns the pages in a /proc/PID/smaps that are as they are in
// the program's file: neither to be written or run, nor changed before they
// became so, as relocated ones are, whose change would be lost.
func programPages(smaps, program string) []pages {
	var found []pages
	var current pages
	candidate := false
	for line := range strings.Lines(smaps) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2:
		case !strings.HasSuffix(fields[0], ":"): // the head of the next mapping
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

// pagesOf reads the head of a mapping; ok is false where its pages are not those
// of the program's file, or can be written or run.
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

package main

import (
	"fmt"
	"io"
	"os"
)

const usage = `usage:
  phrasings compile            write phrasings.table from servers/*.txt
  phrasings lacking FILE...    list the tools of captures that have no phrasings
  phrasings add NAME FILE      write servers/NAME.txt anew from a capture, keeping its phrasings`

// Both are relative to the folder of package bank, where go generate runs.
const (
	sourceFolder = "servers"
	tableFile    = "phrasings.table"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "phrasings:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "compile":
		return compile(sourceFolder, tableFile)
	case len(args) > 1 && args[0] == "lacking":
		return lacking(args[1:], out)
	case len(args) == 3 && args[0] == "add":
		return add(sourceFolder, args[1], args[2])
	}
	return fmt.Errorf("what to do is missing\n%s", usage)
}

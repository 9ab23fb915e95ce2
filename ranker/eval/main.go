package main

import (
	"fmt"
	"os"

	"github.com/winnow-mcp/winnow/ranker/eval/evaluate"
)

func main() {
	if err := evaluate.Run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

package main

import (
	"fmt"
	"os"

	"github.com/winnow-mcp/winnow/ranker/eval/evaluate"
)

func main() {
	if err := evaluate.Run(os.Args[1:], os.Stdout, peers()...); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// peers lists the engines to compare with.
func peers() []evaluate.Contender {
	return []evaluate.Contender{
		{Name: "bleve", Prepare: prepareBleve},
		{Name: "sqlite-fts5", Prepare: prepareSQLite},
	}
}

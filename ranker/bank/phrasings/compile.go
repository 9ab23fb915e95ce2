package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/static"
)

// compile writes the table of a folder of source files.
func compile(folder, file string) error {
	servers, err := bank.ReadDir(os.DirFS(folder))
	if err != nil {
		return err
	}
	var problems []error
	for i := range servers {
		for _, problem := range bank.Check(&servers[i]) {
			problems = append(problems, errors.New(problem))
		}
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	model, err := static.Load()
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, bank.Compile(servers, model), 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

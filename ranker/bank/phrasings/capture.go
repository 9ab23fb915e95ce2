package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/eval/evaluate"
)

// capture is a server's answer to tools/list.
type capture struct {
	Name  string `json:"name"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	} `json:"tools"`
}

// readCapture reads a capture. If it has no name, the file's is used.
func readCapture(file string) (*capture, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read a capture: %w", err)
	}
	var c capture
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("capture %s: %w: want an object with the list \"tools\"", file, err)
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	return &c, nil
}

// tools returns the capture's tools with their prints, sorted, each once.
func (c *capture) tools() []bank.Tool {
	var list []bank.Tool
	for _, t := range c.Tools {
		var parameters []string
		for _, p := range evaluate.Parameters(t.InputSchema) {
			parameters = append(parameters, p.Name)
		}
		list = append(list, bank.Tool{
			Name: t.Name, Description: bank.DescriptionPrint(t.Description), Parameters: bank.ParameterPrints(parameters),
		})
	}
	byName := func(a, b bank.Tool) int { return strings.Compare(a.Name, b.Name) }
	slices.SortStableFunc(list, byName)
	return slices.CompactFunc(list, func(a, b bank.Tool) bool { return a.Name == b.Name })
}

// lacking lists the tools of captures that the bank lacks: it has no tool of the same
// name, family or description, and similar parameters.
func lacking(files []string, out io.Writer) error {
	known, err := bank.Load()
	if err != nil {
		return err
	}
	for _, file := range files {
		c, err := readCapture(file)
		if err != nil {
			return err
		}
		for _, t := range c.tools() {
			if _, ok := known.Known(t.Name, bank.Words(c.Name), t.Description, t.Parameters); !ok {
				fmt.Fprintf(out, "%s\t%s\n", c.Name, t.Name)
			}
		}
	}
	return nil
}

// add writes a server's source file from a capture. Tools keep their phrasings, new tools
// have none yet, and missing tools are removed.
func add(folder, name, file string) error {
	c, err := readCapture(file)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, name+".txt")
	s, err := existing(path, name)
	if err != nil {
		return err
	}
	before := s.Tools
	s.Tools = c.tools()
	for i := range s.Tools {
		at := slices.IndexFunc(before, func(t bank.Tool) bool { return t.Name == s.Tools[i].Name })
		if at >= 0 {
			s.Tools[i].Phrasings = before[at].Phrasings
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write phrasings: %w", err)
	}
	return errors.Join(s.Write(f), f.Close())
}

// existing reads a server's source file; a missing file is empty.
func existing(path, name string) (bank.Server, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return bank.Server{Name: name, Family: bank.Words(name)}, nil
	}
	if err != nil {
		return bank.Server{}, fmt.Errorf("read phrasings: %w", err)
	}
	defer f.Close()
	return bank.ReadServer(name, f)
}

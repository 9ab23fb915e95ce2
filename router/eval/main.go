package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/static"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/tokens"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	data := flags.String("data", "", "`folder` with tools.jsonl, queries.jsonl and no_tool.jsonl")
	unseen := flags.String("unseen", "", "JSON `file` of a list of servers that the bank is not to know")
	initial := flags.String("initial", "10,15,20,30", "winnow.initialK, a `list`")
	named := flags.String("named", "0,20,40,60,100", "winnow.named, a `list`")
	budget := flags.Int("budget", 0, "winnow.budgetTokens")
	work := task{}
	flags.IntVar(&work.requests, "requests", 6, "requests of a task in which nothing is missing")
	flags.IntVar(&work.context, "context", 10000, "`tokens` of each request besides the tools")
	if err := flags.Parse(args); err != nil {
		return err
	}
	full, err := numbers(*initial)
	if err != nil {
		return fmt.Errorf("-initial: %w", err)
	}
	names, err := numbers(*named)
	if err != nil {
		return fmt.Errorf("-named: %w", err)
	}
	s, err := readSet(*data)
	if err != nil {
		return err
	}
	catalog, err := build(s, *unseen)
	if err != nil {
		return err
	}
	fmt.Printf("%d messages, %d tools; a task takes %d requests with %d tokens besides the tools\n",
		len(s.messages), len(catalog.Tools), work.requests, work.context)
	fmt.Printf("%8s %6s %8s %8s %16s %7s %9s %6s\n",
		"initialK", "named", "tokens", "in full", "or by name", "rounds", "task", "idle")
	for _, k := range full {
		for _, n := range names {
			settings := protocol.DefaultSettings()
			settings.InitialK, settings.Named, settings.BudgetTokens = k, n, *budget
			m := measure(router.NewView(catalog, &settings, nil), s, work)
			fmt.Printf("%8d %6d %8.0f %8.3f %16.3f %7.2f %9.0f %6.1f\n",
				k, n, m.tokens, m.full, m.known, m.rounds, m.task, m.idle)
		}
	}
	return nil
}

// numbers reads a list such as "10,30".
func numbers(list string) ([]int, error) {
	var numbers []int
	for item := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(item)
		if err != nil {
			return nil, fmt.Errorf("%q is no number: %w", item, err)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// build returns the catalogue of a set, built as the daemon builds it.
func build(s *set, unseen string) (*router.Catalog, error) {
	model, err := static.Load()
	if err != nil {
		return nil, err
	}
	phrasings, err := bank.Load()
	if err != nil {
		return nil, err
	}
	if unseen != "" {
		var servers []string
		raw, err := os.ReadFile(unseen)
		if err != nil {
			return nil, fmt.Errorf("read the servers that are unseen: %w", err)
		}
		if err := json.Unmarshal(raw, &servers); err != nil {
			return nil, fmt.Errorf("%s: %w", unseen, err)
		}
		phrasings = phrasings.Without(servers)
	}
	counter := tokens.New()
	return router.BuildCatalog(router.CatalogInput{
		Version: 1, Servers: s.servers, Embedder: model, Phrasings: phrasings, Count: counter.Count,
	}, nil), nil
}

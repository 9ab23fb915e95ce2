package bank

import (
	_ "embed" // for the table
	"sync"
)

//go:generate go run ./phrasings compile

// table is a string, so that it stays in the binary's read-only pages.
//
//go:embed phrasings.table
var table string

// load parses the table on first use. All callers share the bank.
var load = sync.OnceValues(func() (*Bank, error) { return Parse(table) })

// Load returns the embedded bank. An error means that the binary was built with a damaged
// table.
func Load() (*Bank, error) { return load() }

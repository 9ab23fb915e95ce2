package main

import (
	"database/sql"
	"fmt"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/eval/evaluate"
)

// prepareSQLite indexes a catalogue in an in-memory FTS5 table with the Porter stemmer
// and ranks by bm25(). It panics on an error of the engine, because there is nothing to
// measure then.
func prepareSQLite(docs []ranker.Document) func(string) []int {
	db, err := sql.Open("sqlite", ":memory:")
	must(err)
	db.SetMaxOpenConns(1) // each connection would have a memory of its own
	_, err = db.Exec(`CREATE VIRTUAL TABLE tools USING fts5(server, name, description, parameters, tokenize = 'porter unicode61')`)
	must(err)
	transaction, err := db.Begin()
	must(err)
	insert, err := transaction.Prepare(`INSERT INTO tools(rowid, server, name, description, parameters) VALUES (?, ?, ?, ?, ?)`)
	must(err)
	for i := range docs {
		f := fields(&docs[i])
		_, err := insert.Exec(i+1, f["server"], f["name"], f["description"], f["parameters"])
		must(err)
	}
	must(transaction.Commit())
	search, err := db.Prepare(`SELECT rowid FROM tools WHERE tools MATCH ? ORDER BY bm25(tools), rowid LIMIT ?`)
	must(err)
	return func(message string) []int { return query(search, message) }
}

func query(search *sql.Stmt, message string) []int {
	match := anyWord(message)
	if match == "" {
		return nil
	}
	rows, err := search.Query(match, evaluate.Depth)
	must(err)
	defer rows.Close()
	var answer []int
	for rows.Next() {
		var id int
		must(rows.Scan(&id))
		answer = append(answer, id-1)
	}
	must(rows.Err())
	return answer
}

// anyWord returns an FTS5 query for any word of a message.
func anyWord(message string) string {
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	list := strings.FieldsFunc(message, split)
	for i, word := range list {
		list[i] = `"` + word + `"`
	}
	return strings.Join(list, " OR ")
}

func must(err error) {
	if err != nil {
		panic(fmt.Errorf("SQLite: %w", err))
	}
}

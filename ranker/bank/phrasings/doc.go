// Phrasings looks after the bank of phrasings. It runs in the folder of
// package bank:
//
//	go run ./phrasings compile           what go generate does
//	go run ./phrasings lacking FILE...   which tools of captures have no phrasings
//	go run ./phrasings add NAME FILE     a new server, or one whose tools changed
//
// A capture is a JSON file with what a server answered to tools/list: an object
// with "tools", a list of objects with name, description and inputSchema, and
// perhaps "name", what the server is called.
package main

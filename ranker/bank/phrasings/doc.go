// Phrasings maintains the bank of phrasings. Run it in the folder of package bank:
//
//	go run ./phrasings compile           what go generate does
//	go run ./phrasings lacking FILE...   which tools of captures have no phrasings
//	go run ./phrasings add NAME FILE     a new server, or one whose tools changed
//
// A capture is a JSON file with a server's answer to tools/list: an object with "tools",
// a list of objects with name, description and inputSchema, and optionally "name", the
// server's name.
package main

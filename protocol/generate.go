package protocol

//go:generate go run ./generate

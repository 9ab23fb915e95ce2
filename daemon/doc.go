// Package daemon is winnowd: it owns everything that touches the world, and
// decides nothing about tools.
//
// It answers a host over one JSON-RPC connection (package rpc), one file per
// group of requests. Configuration comes
// from package config, MCP servers from package upstream; what they know is
// folded into an immutable [router.Catalog], published by an atomic pointer,
// and every request works on the version that it found. What is to be known at
// the next run is in package learned; every file that is replaced goes through
// package atomicfile.
//
// MCP clients come by package gateway, over HTTP or through a private socket of
// package door; gateway*.go are its sessions. A daemon without a host
// ([Server.RunAlone]) serves one client by its two streams.
//
// Every goroutine has an owner that waits for it: the connection owns the
// requests, the [Server] owns the connection and the workspace, the workspace
// owns the watcher and the servers. [Server.Run] returns when all are gone.
package daemon

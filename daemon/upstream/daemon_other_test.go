//go:build !linux

package upstream

// beDaemon is for a test that only Linux can pass.
func beDaemon() {}

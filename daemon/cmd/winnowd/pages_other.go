//go:build !linux

package main

// releaseProgramPages does nothing on this system.
func releaseProgramPages() {}

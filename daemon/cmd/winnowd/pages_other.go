//go:build !linux

package main

// releaseProgramPages does nothing: there is no way here to ask for it.
func releaseProgramPages() {}

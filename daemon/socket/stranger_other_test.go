//go:build !linux

package socket

func stranger() int { return 1 }

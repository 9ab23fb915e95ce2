//go:build !linux && !darwin

package socket

// peerUID cannot tell here; the folder's rights have to do.
func peerUID(int) (uid int, known bool, err error) { return 0, false, nil }

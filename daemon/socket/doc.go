// Package socket connects processes of one user: a private Unix socket for each
// workspace, by which `winnowd mcp` finds a running daemon.
//
//	l, err := socket.Listen(socket.Place{}, "/work/project")   // the daemon
//	err = l.Serve(func(c net.Conn) { … })
//	c, err := socket.Dial(socket.Place{}, "/work/project")  // winnowd mcp
//
// The socket is in a folder that only its user may enter. Both sides verify that, and
// refuse a folder with another owner or wider permissions. They also refuse a peer of
// another user where the system reports it (Linux and macOS). On Windows the folder is in
// the user's profile, whose access list admits no other user.
//
// The package transfers bytes and knows no protocol.
package socket

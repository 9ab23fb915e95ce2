// Package socket is where processes of one user meet: a private Unix socket for
// each workspace, by which `winnowd mcp` finds the daemon that runs already.
//
//	l, err := socket.Listen(socket.Place{}, "/work/project")   // the daemon
//	err = l.Serve(func(c net.Conn) { … })
//	c, err := socket.Dial(socket.Place{}, "/work/project")  // winnowd mcp
//
// The socket lies in a folder that only its user may enter, and both sides
// check it: a folder of another user's, or one that others may enter, is
// refused, and so is whoever is on the other side of the socket where the
// system tells (Linux and macOS). On Windows the folder lies in the user's
// profile, whose access list admits no other user.
//
// The package passes bytes and knows no protocol.
package socket

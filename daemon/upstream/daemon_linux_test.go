package upstream

import (
	"context"
	"encoding/json"
	"os"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// beDaemon runs a manager until it is killed, if the process was started for
// that; see TestManager_Killed.
func beDaemon() {
	file := os.Getenv(daemonVariable)
	if file == "" {
		return
	}
	command, args, env, err := upstreamtest.ProgramFor(upstreamtest.Script{Stubborn: true, PIDFile: file, Grandchild: os.Getenv(daemonGrandchild)})
	if err != nil {
		panic(err)
	}
	m := NewManager(Options{})
	if err := m.Apply(context.Background(), []Config{{Name: "s", Command: command, Args: args, Env: env}}); err != nil {
		panic(err)
	}
	for range m.Updates() {
		// The state of the server can be seen by whoever debugs this.
		_ = json.NewEncoder(os.Stderr).Encode(m.Snapshot().Servers)
	}
}

package engine_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/protocol"
)

// An engine without a workspace, to which a host hands its own tools. A task
// takes its place when it is opened, and is worked on when its turn comes.
func ExampleOpen() {
	ctx := context.Background()
	e := engine.Open(engine.Options{Version: "example"}, host.None{}, &protocol.InitializeParams{
		HomeDir: "/nowhere", UserConfigDir: "/nowhere", Settings: json.RawMessage(`{"threshold":1,"initialK":1}`),
	})
	defer func() { _ = e.Close(ctx) }()
	_, _ = e.HostTools.Set(&protocol.SetHostToolsParams{Source: "host", Tools: []protocol.HostTool{
		{Server: "mail", Name: "mail_send", Description: "Send an e-mail to somebody."},
		{Server: "mail", Name: "mail_search", Description: "Search the mailbox for messages."},
	}})
	work, err := e.Turns.Open(ctx, &protocol.TaskOpenParams{Message: "write an e-mail to Ada and send it", Source: "host"})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := work()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range append([]protocol.AttachedTool{}, a.Tools...) {
		fmt.Println(tool.Name, tool.Reason)
	}
	fmt.Println(a.MetaTools[0].Name)
	// Output:
	// mail_send ranked
	// mcp_load
}

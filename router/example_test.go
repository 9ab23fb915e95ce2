package router_test

import (
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// A task over the tools of two servers: its first message attaches what fits,
// and the model's wish attaches more. Nothing that was attached goes.
func Example() {
	catalog := router.BuildCatalog(router.CatalogInput{
		Version: 1,
		Count:   func(text string) int { return len(text) / 4 },
		Servers: []router.ServerInput{
			{Name: "mail", Tools: []json.RawMessage{
				json.RawMessage(`{"name":"send_mail","description":"Send an e-mail to somebody.","inputSchema":{"type":"object"}}`),
				json.RawMessage(`{"name":"search_mail","description":"Search the mailbox.","inputSchema":{"type":"object"}}`),
			}},
			{Name: "calendar", Tools: []json.RawMessage{
				json.RawMessage(`{"name":"add_event","description":"Put an appointment into the calendar.","inputSchema":{"type":"object"}}`),
			}},
		},
	}, nil)
	settings := protocol.DefaultSettings()
	settings.Threshold, settings.InitialK = 1, 1
	view := router.NewView(catalog, &settings, nil)

	task := view.Turn(router.Task{ID: "task"}, "send an e-mail to Ada")
	for _, tool := range view.Attachment(&task).Tools {
		fmt.Println(tool.Name, tool.Reason)
	}
	task, loaded := view.Load(task, router.Request{Query: "put an appointment into the calendar", Limit: 1})
	fmt.Println(loaded.Tools[0].Name, len(view.Attachment(&task).Tools))
	// Output:
	// send_mail ranked
	// add_event 2
}

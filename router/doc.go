// Package router decides which MCP tools a task gets: the ToolRouter.
//
// It is a pure core. Its inputs are values (a [Catalog], the settings, a
// mode's policy, a [Task], a message), and so are its results (a new Task, an
// attachment). It has no I/O, no goroutine that outlives a call, and no clock. It
// decides, in this order:
//
//   - scope: which tools the user's rules admit ([Scope]);
//   - gate: whether there are enough of them to choose ([View.Routing]);
//   - attach: the window, top-k or dispatch strategy ([View.Turn]), in full or
//     by name ([Named]);
//   - load: what the model requests by mcp_load ([View.Load]);
//   - name and present: what a model sees ([View.Attachment]);
//   - call: what a called name means ([View.Find]), and whether it may run
//     ([View.Call]).
//
// A typical life of a task:
//
//	c := router.BuildCatalog(input, previous) // for each change of the servers
//	v := router.NewView(c, settings, mode)    // for each catalogue, settings and mode
//	t := v.Turn(router.Task{ID: id}, "create an issue")
//	send(v.Attachment(&t))
//	t, loaded := v.Load(t, router.Request{Query: "merge a pull request"})
//	t = v.Turn(t, "now merge it")             // perhaps with a newer view
//
// A tool's identity is its source, its server and its own name, never the name that a
// model sees. What a model has seen never changes within a task: the task stores it, not
// the catalogue.
//
// Each decision belongs to one of the layers of [View] and calls only those below it.
//
// The package does not rank (package ranker does), does not talk to servers, and does not
// know which task a request belongs to.
package router

package display

import "github.com/winnow-mcp/winnow/protocol"

// stateLook is the icon and text of a server's state.
type stateLook struct {
	icon  protocol.Icon
	words string
	// attention reports that the server waits for the user.
	attention bool
	// next is the user's next step, after the daemon's own text.
	next string
}

// stateLooks maps each state of a server to its look.
var stateLooks = map[protocol.ServerState]stateLook{
	protocol.ServerConfigured: {icon: protocol.Icon{ID: "circle-outline", Color: "disabledForeground"}, words: "not started"},
	protocol.ServerKnown:      {icon: protocol.Icon{ID: "circle-outline", Color: "charts.green"}, words: "starts at its first call"},
	protocol.ServerStarting:   {icon: protocol.Icon{ID: "loading~spin", Color: "charts.blue"}, words: "starting"},
	protocol.ServerReady:      {icon: protocol.Icon{ID: "pass-filled", Color: "charts.green"}, words: "running"},
	protocol.ServerSignedOut: {
		icon: protocol.Icon{ID: "key", Color: "charts.yellow"}, words: "signed out", attention: true,
		next: "Choose Sign In to Server.",
	},
	protocol.ServerFailed: {
		icon: protocol.Icon{ID: "error", Color: "charts.red"}, words: "failed", attention: true,
		next: "It is tried again by itself. Choose Show Server Log to see what it wrote, or Restart Server to try now.",
	},
	protocol.ServerDisabled: {icon: protocol.Icon{ID: "circle-slash", Color: "disabledForeground"}, words: "disabled"},
	protocol.ServerStopped: {
		icon: protocol.Icon{ID: "debug-stop", Color: "disabledForeground"}, words: "stopped",
		next: "Choose Restart Server to start it again.",
	},
	protocol.ServerWaitingForTrust: {
		icon: protocol.Icon{ID: "workspace-untrusted", Color: "charts.yellow"}, words: "waits until you trust the workspace", attention: true,
		next: "Choose Manage Workspace Trust.",
	},
	protocol.ServerWaitingForConsent: {
		icon: protocol.Icon{ID: "shield", Color: "charts.yellow"}, words: "waits for your consent", attention: true,
		next: "You have not agreed to what it starts. Choose Allow Server to Start to see that.",
	},
	protocol.ServerDeclined: {
		icon: protocol.Icon{ID: "circle-slash", Color: "disabledForeground"}, words: "not allowed",
		next: "You chose not to run it. Choose Allow Server to Start to change that.",
	},
	protocol.ServerHost: {icon: protocol.Icon{ID: "vm-connect", Color: "charts.blue"}, words: "run by VS Code"},
}

// Icons for partly and fully disabled items, and for changes.
var (
	warningIcon = protocol.Icon{ID: "warning", Color: "list.warningForeground"}
	offIcon     = protocol.Icon{ID: "circle-slash", Color: "disabledForeground"}
	partlyIcon  = protocol.Icon{ID: "color-mode", Color: "charts.green"}
)

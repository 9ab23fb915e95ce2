package protocol

// InputRequestParams asks the user for the value of an `${input:…}`, or for one
// that Winnow itself needs: input/request.
type InputRequestParams struct {
	ID string `json:"id"`
	// Server is the one that needs it, and File the absolute path of the file
	// that defines that server. A host keeps the value for this server of this
	// file only: another file's server of the same name is another program.
	// Both are absent when Winnow itself asks; then the host keeps nothing.
	Server string `json:"server,omitzero"`
	File   string `json:"file,omitzero"`
	// Workspace says that File belongs to the workspace. What is kept for it
	// counts in this workspace only.
	Workspace   bool      `json:"workspace,omitzero"`
	Kind        InputKind `json:"kind"`
	Description string    `json:"description"`
	Password    bool      `json:"password,omitzero"`
	Default     string    `json:"default,omitzero"`
	Options     []string  `json:"options,omitzero"`
}

// InputKind is the kind of box that asks for a value.
type InputKind string

// The values of [InputKind].
const (
	// InputPromptString: free text.
	InputPromptString InputKind = "promptString"
	// InputPickString: one of Options.
	InputPickString InputKind = "pickString"
)

// InputRequestResult answers input/request.
type InputRequestResult struct {
	// Value is absent when the user dismissed the box.
	Value *string `json:"value,omitzero"`
}

// SecretGetParams reads from the host's secret store: secret/get.
type SecretGetParams struct {
	Key string `json:"key"`
}

// SecretGetResult answers secret/get.
type SecretGetResult struct {
	// Value is absent when there is none.
	Value *string `json:"value,omitzero"`
}

// SecretSetParams writes to the host's secret store: secret/set.
type SecretSetParams struct {
	Key string `json:"key"`
	// Value is absent to delete.
	Value *string `json:"value,omitzero"`
}

// OpenExternalParams opens a page in the user's browser: window/openExternal.
type OpenExternalParams struct {
	URL string `json:"url"`
	// Server is the one that wants it.
	Server string `json:"server,omitzero"`
}

// OpenExternalResult answers window/openExternal.
type OpenExternalResult struct {
	Success bool `json:"success"`
}

// ExternalURLParams asks for the address at which the user's browser reaches an
// address of this machine's own, such as http://127.0.0.1:4711/callback:
// window/externalUrl.
type ExternalURLParams struct {
	URL string `json:"url"`
}

// ExternalURLResult answers window/externalUrl.
type ExternalURLResult struct {
	// URL is the same where the browser runs on this machine.
	URL string `json:"url"`
}

// ShowMessageParams tells the user something: window/showMessage.
type ShowMessageParams struct {
	Type    MessageType `json:"type"`
	Message string      `json:"message"`
	// File, Line and Column say where; Line and Column count from 1.
	File   string `json:"file,omitzero"`
	Line   int    `json:"line,omitzero"`
	Column int    `json:"column,omitzero"`
	// Server is the one concerned.
	Server string `json:"server,omitzero"`
	// Setting is the one concerned.
	Setting string `json:"setting,omitzero"`
	// Next is what the user can do about it.
	Next string `json:"next,omitzero"`
	// Command is a line for a terminal that Next speaks of, for the user to copy.
	Command string `json:"command,omitzero"`
}

// MessageType is how serious a message is.
type MessageType string

// The values of [MessageType].
const (
	MessageError   MessageType = "error"
	MessageWarning MessageType = "warning"
	MessageInfo    MessageType = "info"
)

// TelemetryEventParams is one event: telemetry/event. It never holds text,
// arguments or names of the user's.
type TelemetryEventParams struct {
	Name TelemetryEvent `json:"name"`
	// Numbers and Labels are the event's properties.
	Numbers map[string]float64 `json:"numbers"`
	Labels  map[string]string  `json:"labels"`
}

// TelemetryEvent names an event.
type TelemetryEvent string

// The values of [TelemetryEvent].
const (
	// EventTaskStart has scopedCount, attachedCount; ranker.
	EventTaskStart TelemetryEvent = "dynamic_tools.task_start"
	// EventLoadInvoked has taskTurn, queryLength, returnedCount,
	// alreadyAttachedCount.
	EventLoadInvoked TelemetryEvent = "dynamic_tools.mcp_load_invoked"
	// EventWindowStep has turn, addedCount, totalAttached. It is sent only
	// when a turn added something.
	EventWindowStep TelemetryEvent = "dynamic_tools.rolling_window_step"
	// EventRankerFallback has from, to, reason.
	EventRankerFallback TelemetryEvent = "dynamic_tools.ranker_fallback"
)

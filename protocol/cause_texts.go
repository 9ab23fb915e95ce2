package protocol

// CauseTexts words each kind of a [Cause], for the Go side and, generated, for
// TypeScript: {owner}, {key} and {text} stand for the cause's members. What keeps
// a tool out reads as a rule ("disabledTools of server …"), and what a server
// waits for as the rest of a sentence about it ("waits until …").
func CauseTexts() map[CauseKind]string {
	return map[CauseKind]string{
		CauseServer:      `{key} of server "{owner}"`,
		CauseMode:        `{key} of mode "{owner}"`,
		CauseStopped:     `server "{owner}" is stopped`,
		CauseTask:        "your choice for this task",
		CauseExcluded:    `server "{owner}" excludes it for this message ({key})`,
		CauseDispatch:    "{key} is dispatch; mcp_call runs it",
		CauseLate:        "it came after this turn began",
		CauseLimit:       "{key} or the model's own limit is reached",
		CauseBudget:      "it costs more tokens than {key} leaves",
		CauseFrozen:      "no message adds tools now ({key}); mcp_load attaches it",
		CauseRank:        "not among the best {key}",
		CauseNamed:       "not among the best {key}; the model knows its name, and mcp_load attaches it",
		CauseGone:        "its server no longer offers it",
		CauseChanged:     `a change by server "{owner}" that waits for your approval`,
		CauseUnlisted:    `{key} of tools of server "{owner}" that nobody has approved`,
		CauseDamagedLock: `the damaged lock of server "{owner}"`,
		CauseStart:       "starts when the host is ready",
		CauseTrust:       "waits until the workspace is trusted",
		CauseConsent:     "waits for your consent to what {owner} starts",
		CauseRedefined:   "waits for your consent: {owner} starts something else now than you agreed to",
		CauseDeclined:    "you declined to run it from {owner}",
		CauseItself:      "is Winnow itself, for other clients",
		CauseInvalid:     "{text}",
	}
}

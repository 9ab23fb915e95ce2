package protocol

import "strings"

// Code is a JSON-RPC error code.
type Code int32

// JSON-RPC's and LSP's codes, as LSP 3.17 defines them.
const (
	CodeParseError           Code = -32700
	CodeInvalidRequest       Code = -32600
	CodeMethodNotFound       Code = -32601
	CodeInvalidParams        Code = -32602
	CodeInternalError        Code = -32603
	CodeServerNotInitialized Code = -32002
	CodeContentModified      Code = -32801
	CodeRequestCancelled     Code = -32800
)

// Winnow's own codes lie outside the range that JSON-RPC reserves.
const (
	CodeUnknownTask     Code = 1001
	CodeUnknownServer   Code = 1002
	CodeUnknownTool     Code = 1003
	CodeUnknownMode     Code = 1004
	CodeUnknownSource   Code = 1005
	CodeOutOfScope      Code = 1010
	CodeNotAttached     Code = 1011
	CodeLimitReached    Code = 1012
	CodeHostTool        Code = 1013
	CodeUnavailable     Code = 1020
	CodeTimeout         Code = 1021
	CodeCallFailed      Code = 1022
	CodeSignInRequired  Code = 1023
	CodeInvalidArgument Code = 1024
	CodeConfig          Code = 1030
	CodeEdit            Code = 1031
)

// ErrorKind names an error for programs.
type ErrorKind string

// The values of [ErrorKind].
const (
	KindCancelled      ErrorKind = "cancelled"
	KindInternal       ErrorKind = "internal"
	KindInvalidParams  ErrorKind = "invalidParams"
	KindMethodNotFound ErrorKind = "methodNotFound"
	KindLifecycle      ErrorKind = "lifecycle"
	KindNotInitialized ErrorKind = "notInitialized"
	KindVersion        ErrorKind = "protocolVersion"
	// KindContentModified: what the request builds upon is no longer the latest.
	KindContentModified ErrorKind = "contentModified"
	KindUnknownTask     ErrorKind = "unknownTask"
	KindUnknownServer   ErrorKind = "unknownServer"
	KindUnknownTool     ErrorKind = "unknownTool"
	KindUnknownMode     ErrorKind = "unknownMode"
	KindUnknownSource   ErrorKind = "unknownSource"
	// KindOutOfScope: a rule forbids the tool; data.cause says which.
	KindOutOfScope ErrorKind = "outOfScope"
	// KindNotAttached: the tool exists and `winnow.earlyCall` says no.
	KindNotAttached ErrorKind = "notAttached"
	// KindLimit: `winnow.maxTools` or the model's own limit is reached.
	KindLimit ErrorKind = "limit"
	// KindHostTool: the host runs this tool, not the daemon. The daemon says so
	// by [TaskCallResult.Host]; the kind is for hosts that make an error of it,
	// as the extension's API does.
	KindHostTool ErrorKind = "hostTool"
	// KindUnavailable: the tool's server cannot be reached now.
	KindUnavailable     ErrorKind = "unavailable"
	KindTimeout         ErrorKind = "timeout"
	KindCallFailed      ErrorKind = "callFailed"
	KindSignIn          ErrorKind = "signInRequired"
	KindInvalidArgument ErrorKind = "invalidArguments"
	KindConfig          ErrorKind = "config"
	KindEdit            ErrorKind = "edit"
)

// WithNext joins a message and the next step into sentences. A step that the message
// says already is not said again.
func WithNext(message, next string) string {
	switch {
	case message == "" || next == "", strings.Contains(message, strings.TrimSuffix(next, ".")):
		return message
	case strings.ContainsRune(".!?", rune(message[len(message)-1])):
		return message + " " + next
	}
	return message + ". " + next
}

// ErrorData is the data of each error that the daemon answers with.
type ErrorData struct {
	Kind   ErrorKind `json:"kind"`
	Server string    `json:"server,omitzero"`
	Tool   string    `json:"tool,omitzero"`
	File   string    `json:"file,omitzero"`
	Line   int       `json:"line,omitzero"`
	Column int       `json:"column,omitzero"`
	// Setting is the setting that decided.
	Setting string `json:"setting,omitzero"`
	// Cause is the scope rule that refused; the message has it in words.
	Cause *Cause `json:"cause,omitzero"`
	// Next is what the user can do about it.
	Next string `json:"next,omitzero"`
}

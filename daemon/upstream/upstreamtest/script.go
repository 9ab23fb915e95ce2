package upstreamtest

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"
)

// Script describes a scripted server. The zero value is a well-behaved server
// of MCP 2025-11-25 with the tools of [StandardTools].
type Script struct {
	// Tools are the listed tools as JSON, which need not be valid. If nil, StandardTools
	// are listed.
	Tools []string
	// PageSize splits tools/list into pages; 0 means one page.
	PageSize int
	// EndlessPages makes tools/list never end, with a new cursor each time. SameCursor
	// repeats one cursor.
	EndlessPages, SameCursor bool
	// ChangeEvery is the interval at which the tools change, with an announcement.
	ChangeEvery time.Duration

	// Version is the only supported protocol version. If empty, the requested one is
	// used.
	Version string
	// Modern makes the server speak 2026-07-28 and refuse initialize.
	Modern bool
	// ExitOn is a method on which the server exits with code 3 without a response. If
	// ExitOnceFile is set, it exits only while that file does not exist, and creates it.
	ExitOn, ExitOnceFile string
	// Ignore lists methods that get no response.
	Ignore []string
	// StartDelay is the delay before the first read.
	StartDelay time.Duration

	// Before are lines on stdout before the first message, Between lines before each
	// response. NoNewline is text before each response on the same line.
	Before, Between []string
	NoNewline       string
	// FloodStderr is a number of bytes written to stderr at the start and before each
	// response.
	FloodStderr int
	// LastWords is written to stderr before an exit.
	LastWords string

	// Replies replace responses, by method, or for a tool by "tools/call " and its name.
	// Each holds the members of the response after its id, such as `"result":{}`. Says
	// are raw messages sent before the response under the same key.
	Replies, Says map[string][]byte

	// StopReadingAfter is a method after whose response the server stops reading.
	StopReadingAfter string
	// Stubborn makes the server ignore a closed stdin and SIGTERM.
	Stubborn bool
	// Grandchild starts a process that idles for an hour: "group" in the server's process
	// group, "detached" in a session of its own, "orphan" in a session of its own with a
	// parent that exits, "bare" as "orphan" without an environment.
	Grandchild string

	// PIDFile receives the process ids of the server and its grandchild, one per line.
	// ReceivedFile receives every message to the server, one per line. Both may be the
	// address of a [Sink].
	PIDFile, ReceivedFile string
}

// scriptVariable passes the script to the child.
const scriptVariable = "WINNOW_UPSTREAMTEST_SCRIPT"

// idleVariable makes the child an idle grandchild.
const idleVariable = "WINNOW_UPSTREAMTEST_IDLE"

// orphaned is the value of idleVariable for the parent of an idle process. It prints the
// child's process id and exits.
const orphaned = "orphan"

// Program returns the command of a stdio server that follows the script.
func Program(t testing.TB, s Script) (command string, args []string, env map[string]string) {
	t.Helper()
	command, args, env, err := ProgramFor(s)
	if err != nil {
		t.Fatal(err)
	}
	return command, args, env
}

// ProgramFor is [Program] for use outside a test.
func ProgramFor(s Script) (command string, args []string, env map[string]string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, nil, fmt.Errorf("find the test binary: %w", err)
	}
	encoded, err := json.Marshal(s)
	if err != nil {
		return "", nil, nil, fmt.Errorf("encode the script: %w", err)
	}
	return self, nil, map[string]string{scriptVariable: string(encoded)}, nil
}

// Main runs the scripted server if the process was started as one, and then exits.
func Main() {
	if os.Getenv(idleVariable) == orphaned {
		fmt.Println(startIdle())
		os.Exit(0)
	}
	if os.Getenv(idleVariable) != "" {
		time.Sleep(time.Hour)
		os.Exit(0)
	}
	encoded := os.Getenv(scriptVariable)
	if encoded == "" {
		return
	}
	var s Script
	if err := json.Unmarshal([]byte(encoded), &s); err != nil {
		panic("upstreamtest: script: " + err.Error())
	}
	serve(s)
	os.Exit(0)
}

// StandardTools returns the tools of the zero Script. Every scripted server can run them,
// listed or not.
func StandardTools() []string {
	return []string{
		`{"name":"echo","description":"Returns its arguments.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`,
		`{"name":"sleep","description":"Answers after a time, unless it is cancelled.","inputSchema":{"type":"object","properties":{"ms":{"type":"integer"}},"required":["ms"]}}`,
		`{"name":"count","description":"Reports progress.","inputSchema":{"type":"object","properties":{"steps":{"type":"integer"}}}}`,
		`{"name":"fail","description":"Fails by its own account.","inputSchema":{"type":"object"}}`,
		`{"name":"refuse","description":"Answers with a JSON-RPC error.","inputSchema":{"type":"object"}}`,
		`{"name":"exit","description":"Exits without an answer.","inputSchema":{"type":"object"}}`,
		`{"name":"big","description":"Answers with so many bytes.","inputSchema":{"type":"object","properties":{"bytes":{"type":"integer"},"idLast":{"type":"boolean"}}}}`,
		`{"name":"env","description":"Returns the environment.","inputSchema":{"type":"object"}}`,
		`{"name":"bare","description":"Answers without content.","inputSchema":{"type":"object"}}`,
	}
}

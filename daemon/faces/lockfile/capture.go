package lockfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// capture is what the servers of a workspace offer, as they sent it. Saved to a file, it
// can be verified where servers cannot start: in a job without credentials, or without a
// network.
type capture struct {
	// Version is the version of the format: [captureVersion].
	Version int                       `json:"version"`
	Servers map[string]capturedServer `json:"servers"`
}

const captureVersion = 1

// capturedServer is what one server offers. Each tool and prompt is as the server sent
// it.
type capturedServer struct {
	Origin          lock.Origin       `json:"origin,omitzero"`
	ReportedVersion string            `json:"reportedVersion,omitzero"`
	Instructions    string            `json:"instructions,omitzero"`
	Tools           []json.RawMessage `json:"tools"`
	Prompts         []json.RawMessage `json:"prompts,omitzero"`
}

// locked returns the lock of the capture.
func (c *capture) locked() (*lock.File, error) {
	file := &lock.File{Version: lock.Version, Servers: map[string]lock.Server{}}
	for name := range c.Servers {
		server := c.Servers[name]
		locked, err := server.locked()
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", name, err)
		}
		file.Servers[name] = locked
	}
	return file, nil
}

func (s *capturedServer) locked() (lock.Server, error) {
	locked := lock.Server{
		Origin: s.Origin, ReportedVersion: s.ReportedVersion, Instructions: lock.Text(s.Instructions),
		Tools: map[string]lock.Entry{}, Prompts: map[string]lock.Entry{},
	}
	for _, raw := range s.Tools {
		name, tool, err := lock.Tool(raw)
		if err != nil {
			return locked, err
		}
		locked.Tools[name] = tool
	}
	for _, raw := range s.Prompts {
		name, prompt, err := lock.Prompt(raw)
		if err != nil {
			return locked, err
		}
		locked.Prompts[name] = prompt
	}
	return locked, nil
}

// write saves the capture to a file readable by the user only, because descriptions may
// be private.
func (c *capture) write(path string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	const mode = 0o600
	return atomicfile.Write(path, append(data, '\n'), mode)
}

// readCapture reads a saved capture. Its errors contain the path.
func readCapture(path string) (*capture, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s; write it by `winnowd lock -capture` where the servers can be started (%w)", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	c := &capture{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, ijson.Words(err))
	}
	if c.Version != captureVersion || c.Servers == nil {
		return nil, fmt.Errorf("%s is no capture of version %d, which `winnowd lock -capture` writes", path, captureVersion)
	}
	return c, nil
}

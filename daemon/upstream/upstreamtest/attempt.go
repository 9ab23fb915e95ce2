package upstreamtest

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"time"
)

// attempt tries an action that a sandbox may forbid, and responds with the outcome.
func (s *scripted) attempt(m message) {
	var args struct {
		Path    string `json:"path"`
		Address string `json:"address"`
		Count   int    `json:"count"`
	}
	err := json.Unmarshal(m.Params.Arguments, &args)
	got := "done"
	switch {
	case err != nil:
	case m.Params.Name == "read":
		var data []byte
		data, err = os.ReadFile(args.Path)
		got = string(data)
	case m.Params.Name == "write":
		err = os.WriteFile(args.Path, []byte("written"), 0o600)
	case m.Params.Name == "dial":
		var conn net.Conn
		if conn, err = net.DialTimeout("tcp", args.Address, time.Minute); err == nil {
			err = conn.Close()
		}
	case m.Params.Name == "spawn":
		err = spawn(args.Count)
	}
	if err != nil {
		got = "failed: " + err.Error()
	}
	s.answer(m, text(got))
}

// spawn runs count idle processes at the same time.
func spawn(count int) error {
	var errs []error
	for range count {
		idle := exec.Command(os.Args[0])
		idle.Env = append(os.Environ(), idleVariable+"=1")
		if err := idle.Start(); err != nil {
			errs = append(errs, err)
			continue
		}
		defer func() {
			_ = idle.Process.Kill()
			_ = idle.Wait()
		}()
	}
	return errors.Join(errs...)
}

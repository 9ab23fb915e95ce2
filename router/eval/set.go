package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-mcp/winnow/router"
)

// set is a catalogue with messages and the tools that they need.
type set struct {
	servers  []router.ServerInput
	messages []message
	// idle are messages that need no tool.
	idle []string
}

// message is one message of a set. Any member of a need meets it.
type message struct {
	text  string
	needs [][]router.ToolID
}

// readSet reads the files of a set.
func readSet(dir string) (*set, error) {
	s := &set{}
	places := map[string]int{}
	err := eachLine(filepath.Join(dir, "tools.jsonl"), func(line json.RawMessage) error {
		var tool struct {
			Server string `json:"server"`
		}
		if err := json.Unmarshal(line, &tool); err != nil {
			return err
		}
		i, ok := places[tool.Server]
		if !ok {
			i = len(s.servers)
			places[tool.Server] = i
			s.servers = append(s.servers, router.ServerInput{Name: tool.Server})
		}
		s.servers[i].Tools = append(s.servers[i].Tools, line)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(filepath.Join(dir, "queries.jsonl"), func(line json.RawMessage) error {
		m, err := readMessage(line)
		s.messages = append(s.messages, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(filepath.Join(dir, "no_tool.jsonl"), func(line json.RawMessage) error {
		m, err := readMessage(line)
		s.idle = append(s.idle, m.text)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return s, err
}

func readMessage(line json.RawMessage) (message, error) {
	var wire struct {
		Query        string        `json:"query"`
		Gold         [][2]string   `json:"gold"`
		Alternatives [][][2]string `json:"gold_alternatives"`
	}
	if err := json.Unmarshal(line, &wire); err != nil {
		return message{}, err
	}
	for _, tool := range wire.Gold {
		wire.Alternatives = append(wire.Alternatives, [][2]string{tool})
	}
	m := message{text: wire.Query}
	for _, group := range wire.Alternatives {
		var need []router.ToolID
		for _, tool := range group {
			need = append(need, router.ToolID{Server: tool[0], Tool: tool[1]})
		}
		m.needs = append(m.needs, need)
	}
	return m, nil
}

// eachLine calls do with each line of a file. do may keep the lines.
func eachLine(file string, do func(json.RawMessage) error) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read the set: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if err := do(json.RawMessage(lines.Text())); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return lines.Err()
}

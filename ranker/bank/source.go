package bank

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Server is one source file: a server and the phrasings of its tools.
type Server struct {
	// Name is the file's name without extension. Family holds the words in names of such
	// servers.
	Name   string
	Family []string
	Tools  []Tool
}

// Tool is one tool of a server.
type Tool struct {
	Name string
	// Description is the hash of its description; Parameters holds those of its
	// parameters.
	Description uint32
	Parameters  []uint16
	// Phrasings holds what people say when they need it.
	Phrasings []string
	// Line is its first line in the file.
	Line int
}

// ReadDir reads every server of a folder of source files, by name.
func ReadDir(files fs.FS) ([]Server, error) {
	names, err := fs.Glob(files, "*.txt")
	if err != nil {
		return nil, fmt.Errorf("look for phrasings: %w", err)
	}
	servers := make([]Server, 0, len(names))
	for _, name := range names {
		f, err := files.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read phrasings: %w", err)
		}
		s, err := ReadServer(strings.TrimSuffix(path.Base(name), ".txt"), f)
		f.Close()
		if err != nil {
			return nil, err
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// ReadServer reads one source file; see README.md for the format. An error
// names the file's line.
func ReadServer(name string, from io.Reader) (Server, error) {
	s := Server{Name: name}
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		if err := s.readLine(lines.Text(), n); err != nil {
			return s, fmt.Errorf("%s.txt:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return s, fmt.Errorf("read %s.txt: %w", name, err)
	}
	return s, nil
}

func (s *Server) readLine(line string, n int) error {
	if phrasing, ok := strings.CutPrefix(line, "\t"); ok {
		if len(s.Tools) == 0 {
			return fmt.Errorf("phrasing %q stands before the first tool", phrasing)
		}
		tool := &s.Tools[len(s.Tools)-1]
		tool.Phrasings = append(tool.Phrasings, phrasing)
		return nil
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "", "#":
		return nil
	case "server":
		s.Family = Words(rest)
		return nil
	case "tool":
		return s.readTool(rest, n)
	}
	return fmt.Errorf("%q: want a line that starts with %q, %q, %q or a tab", line, "#", "server ", "tool ")
}

// readTool reads what follows "tool ": the name, and the hashes of the description and
// the parameters.
func (s *Server) readTool(rest string, n int) error {
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return fmt.Errorf("tool %q: want a name and prints", rest)
	}
	tool := Tool{Name: fields[0], Line: n}
	for i, field := range fields[1:] {
		bits := 16
		if i == 0 {
			bits = 32
		}
		print, err := strconv.ParseUint(field, 16, bits)
		if err != nil {
			return fmt.Errorf("tool %s: print %q: want a hexadecimal number of %d bits", tool.Name, field, bits)
		}
		if i == 0 {
			tool.Description = uint32(print)
			continue
		}
		tool.Parameters = append(tool.Parameters, uint16(print))
	}
	s.Tools = append(s.Tools, tool)
	return nil
}

// Write writes a source file.
func (s *Server) Write(to io.Writer) error {
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "server %s\n", strings.Join(s.Family, " "))
	for i := range s.Tools {
		t := &s.Tools[i]
		fmt.Fprintf(out, "\ntool %s %08x", t.Name, t.Description)
		for _, p := range t.Parameters {
			fmt.Fprintf(out, " %04x", p)
		}
		fmt.Fprintln(out)
		for _, phrasing := range t.Phrasings {
			fmt.Fprintf(out, "\t%s\n", phrasing)
		}
	}
	return out.Flush()
}

package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
)

// Links need a privilege on Windows, so the launcher is a script there.
const name = "winnowd.cmd"

// script returns a script that starts program with its arguments. It escapes the per cent
// sign, which begins a variable.
func script(program string) string {
	return "@echo off\r\n\"" + strings.ReplaceAll(program, "%", "%%") + "\" %*\r\n"
}

// starts reports whether the launcher already starts program.
func starts(path, program string) (bool, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !strings.HasPrefix(string(data), "@echo off\r\n"):
		return false, fmt.Errorf("%s is no script of Winnow's; move it away", path)
	}
	return string(data) == script(program), nil
}

func replace(path, program string) error {
	const mode = 0o600
	return atomicfile.Write(path, []byte(script(program)), mode)
}

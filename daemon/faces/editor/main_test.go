package editor_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
)

func TestMain(m *testing.M) { daemontest.Main(m) }

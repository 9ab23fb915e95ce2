package proxy_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

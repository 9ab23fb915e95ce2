package clienttest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// The SDK is a devDependency of the project, in node_modules at its root.
func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("node is not installed")
		}
		t.Skip("node is not installed")
	}
	info := start(t, map[string]any{"threshold": 1})
	cmd := exec.CommandContext(t.Context(), node, "client.mjs", info.URL, info.Token)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Before, After, Other        []string
		Changed, Cancelled, Refused bool
		Echo                        string
		Progress                    []float64
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	want := `{"Before":["mcp_load"],"After":["mcp_load","count","echo","sleep"],"Other":["mcp_load"],` +
		`"Changed":true,"Cancelled":true,"Refused":true,"Echo":"{\"text\":\"hi\"}","Progress":[1,2,3]}`
	if got, err := json.Marshal(seen); err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

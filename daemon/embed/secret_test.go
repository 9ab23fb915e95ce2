package embed

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecret_NeverPrints(t *testing.T) {
	t.Parallel()
	key := Secret("sk-very-secret")
	config := Config{Provider: "openai", Key: key}
	encoded, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", key, "config", config)
	for name, text := range map[string]string{
		"%v": fmt.Sprintf("%v", key), "%q": fmt.Sprintf("%q", key), "%#v": fmt.Sprintf("%#v", key),
		"struct %v": fmt.Sprintf("%v", config), "struct %+v": fmt.Sprintf("%+v", config), "struct %#v": fmt.Sprintf("%#v", config),
		"json": string(encoded), "slog": log.String(),
	} {
		if strings.Contains(text, "very") {
			t.Errorf("%s shows the key: %s", name, text)
		}
	}
}

func TestSecret_Redact(t *testing.T) {
	t.Parallel()
	tests := []struct {
		key        Secret
		text, want string
	}{
		{"sk-1", "bad key sk-1, sk-1!", "bad key [secret], [secret]!"},
		{"sk-1", "all is well", "all is well"},
		{"", "no key", "no key"},
	}
	for _, test := range tests {
		if got := test.key.redact(test.text); got != test.want {
			t.Errorf("redact(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

package embed

import (
	"log/slog"
	"strings"
)

// Secret is an API key. It prints as "[secret]" wherever it is formatted,
// logged or encoded.
type Secret string

const redacted = "[secret]"

// String hides the key.
func (Secret) String() string { return redacted }

// GoString hides the key from %#v.
func (Secret) GoString() string { return redacted }

// LogValue hides the key from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the key from JSON and other encodings.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// redact removes the key from external text, such as an error message that quotes it.
func (s Secret) redact(text string) string {
	if s == "" {
		return text
	}
	return strings.ReplaceAll(text, string(s), redacted)
}

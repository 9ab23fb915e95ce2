package secrets

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// IsName reports whether the key of a variable, a query or a flag names a credential.
func IsName(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc(
		[]string{"key", "token", "secret", "pass", "pwd", "auth", "cred", "cookie", "session", "private", "sig"},
		func(word string) bool { return strings.Contains(key, word) })
}

// HarmlessHeader reports whether a header carries no secret, whatever its value.
func HarmlessHeader(key string) bool {
	switch strings.ToLower(key) {
	case "accept", "accept-language", "content-type", "user-agent":
		return true
	default:
		return false
	}
}

// Arguments returns the arguments that are the value of a flag that names a credential:
// --api-key=VALUE, --api-key VALUE and -token VALUE. The argument after a boolean flag
// may be mistaken for its value, unless it is a flag itself.
func Arguments(args []string) []Argument {
	var found []Argument
	for i, arg := range args {
		flag, value, joined := strings.Cut(arg, "=")
		if !strings.HasPrefix(flag, "-") || !IsName(flag) {
			continue
		}
		at := i
		if !joined && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			at, value = i+1, args[i+1]
		}
		if value != "" && !isPlace(value) {
			found = append(found, Argument{At: at, Value: value})
		}
	}
	return found
}

// Argument is a secret in arguments: all of, or the end of, the argument at an index.
type Argument struct {
	At    int
	Value string
}

// isPlace reports whether the value of such a flag is only the place of the credential,
// as in --keyfile /etc/key.pem.
func isPlace(value string) bool {
	return filepath.IsAbs(value) || strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./")
}

// Hidden replaces a secret in displayed text.
const Hidden = "(hidden)"

// variables matches variables of a configuration, and the words that precede credentials
// in headers.
var variables = regexp.MustCompile(`\$\{[^{}]*\}|^(Bearer|Basic|Token) `)

// Show returns a value for display: unchanged, or [Hidden] if secret is true. A value
// that consists of variables is not hidden.
func Show(secret bool, value string) string {
	if !secret || strings.TrimSpace(variables.ReplaceAllString(value, "")) == "" {
		return value
	}
	return Hidden
}

// ShowArguments returns arguments for display.
func ShowArguments(args []string) []string {
	shown := slices.Clone(args)
	for _, secret := range Arguments(args) {
		shown[secret.At] = strings.TrimSuffix(args[secret.At], secret.Value) + Show(true, secret.Value)
	}
	return shown
}

// query matches the values of a URL's query and its password.
var query = regexp.MustCompile(`([?&][^=&#]+=)([^&#]*)|(//[^/@:]*:)([^/@]*)(@)`)

// ShowURL returns a URL for display, without its password and the values of its query
// that are secrets by their keys.
func ShowURL(address string) string {
	return query.ReplaceAllStringFunc(address, func(part string) string {
		groups := query.FindStringSubmatch(part)
		if groups[1] != "" {
			return groups[1] + Show(IsName(groups[1]), groups[2])
		}
		return groups[3] + Show(true, groups[4]) + groups[5]
	})
}

// OfURL returns the secrets in a URL as written: its password, and the values of its
// query that are secrets by their keys.
func OfURL(address string) []string {
	var found []string
	for _, groups := range query.FindAllStringSubmatch(address, -1) {
		switch {
		case groups[4] != "":
			found = append(found, groups[4])
		case groups[2] != "" && IsName(groups[1]):
			found = append(found, groups[2])
		}
	}
	return found
}

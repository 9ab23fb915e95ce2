package secrets

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// IsName reports whether a key of an environment, a query or a flag names a
// credential.
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

// Arguments returns the indices and values of the arguments that are the value
// of a flag that names a credential: --api-key=VALUE, --api-key VALUE and -token
// VALUE. What follows a flag that is a switch may be taken for its value; it
// counts without need then, unless it is a flag itself.
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

// Argument is a secret among arguments: the value is all of, or the end of, the
// argument at the index.
type Argument struct {
	At    int
	Value string
}

// isPlace reports whether the value of a flag that names a credential is only
// where it is kept, as in --keyfile /etc/key.pem.
func isPlace(value string) bool {
	return filepath.IsAbs(value) || strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./")
}

// Hidden stands for a secret in what is shown.
const Hidden = "(hidden)"

// variables matches what a configuration replaces, and the words that stand
// before credentials in headers.
var variables = regexp.MustCompile(`\$\{[^{}]*\}|^(Bearer|Basic|Token) `)

// Show returns a value as it may be shown under its key: as it is written, or
// [Hidden] for one that is a secret by its key. A value that only names
// variables is none.
func Show(secret bool, value string) string {
	if !secret || strings.TrimSpace(variables.ReplaceAllString(value, "")) == "" {
		return value
	}
	return Hidden
}

// ShowArguments returns arguments as they may be shown.
func ShowArguments(args []string) []string {
	shown := slices.Clone(args)
	for _, secret := range Arguments(args) {
		shown[secret.At] = strings.TrimSuffix(args[secret.At], secret.Value) + Show(true, secret.Value)
	}
	return shown
}

// query matches the values of an address's query and its password.
var query = regexp.MustCompile(`([?&][^=&#]+=)([^&#]*)|(//[^/@:]*:)([^/@]*)(@)`)

// ShowURL returns an address as it may be shown: without its password and the
// values in its query that are secrets by their keys.
func ShowURL(address string) string {
	return query.ReplaceAllStringFunc(address, func(part string) string {
		groups := query.FindStringSubmatch(part)
		if groups[1] != "" {
			return groups[1] + Show(IsName(groups[1]), groups[2])
		}
		return groups[3] + Show(true, groups[4]) + groups[5]
	})
}

// OfURL returns the secrets in an address: its password, and the values in its
// query that are secrets by their keys, as they are written.
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

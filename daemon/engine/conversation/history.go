package conversation

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// History holds the messages of one request, oldest first. It is immutable. The zero
// value has no messages.
type History struct {
	messages []protocol.MessageDigest
	// prefixes holds for each message a digest of all messages up to it. Histories with a
	// common digest are equal up to there.
	prefixes []string
}

// NewHistory returns the history of messages.
func NewHistory(messages []protocol.MessageDigest) History {
	h := History{messages, make([]string, len(messages))}
	before := ""
	for i := range messages {
		before = prefixDigest(before, &messages[i])
		h.prefixes[i] = before
	}
	return h
}

// Len returns the number of messages.
func (h History) Len() int { return len(h.messages) }

// Messages returns the messages, which callers must not modify.
func (h History) Messages() []protocol.MessageDigest { return h.messages }

// End returns the digest of the first n messages, or "" if n is 0. n must not exceed
// [History.Len].
func (h History) End(n int) string {
	if n == 0 {
		return ""
	}
	return h.prefixes[n-1]
}

// extends reports whether the history starts with n messages whose digest is end. It
// returns false if n is 0.
func (h History) extends(n int, end string) bool {
	return n > 0 && n <= h.Len() && h.End(n) == end
}

// Called returns the names of the tools that the messages from index from on have called,
// each once, in order.
func (h History) Called(from int) []string {
	var names []string
	for _, m := range h.messages[from:] {
		for _, call := range m.Calls {
			if !slices.Contains(names, call.Name) {
				names = append(names, call.Name)
			}
		}
	}
	return names
}

// hasUser reports whether one of the messages in [from, to) is a user's.
func (h History) hasUser(from, to int) bool {
	return slices.ContainsFunc(h.messages[from:to], func(m protocol.MessageDigest) bool { return m.Role == roleUser })
}

// hasAnswer reports whether one of the messages in [from, to) is a model's.
func (h History) hasAnswer(from, to int) bool {
	return slices.ContainsFunc(h.messages[from:to], func(m protocol.MessageDigest) bool { return m.Role == roleAssistant })
}

// begun reports whether the first n messages identify a conversation among others that
// begin alike. They must contain a user's message and an answer to it. If the client
// names its conversations, they must contain all messages before the first answer,
// because such a client may begin each with the same words in the user's name.
func (h History) begun(n int, named bool) bool {
	user := slices.IndexFunc(h.messages[:n], func(m protocol.MessageDigest) bool { return m.Role == roleUser })
	asked := n == h.Len() || h.messages[n].Role != roleUser
	return user >= 0 && (h.hasAnswer(user, n) || named && asked)
}

// endsWithUser reports whether the last message is a user's.
func (h History) endsWithUser() bool { return h.Len() > 0 && h.messages[h.Len()-1].Role == roleUser }

// summarized reports whether one of the messages from index from on is a summary that
// replaces others.
func (h History) summarized(from int) bool {
	return slices.ContainsFunc(h.messages[from:], func(m protocol.MessageDigest) bool { return m.Summary })
}

// Shared returns how many messages at the beginning two histories share.
func (h History) Shared(other *History) int {
	n := 0
	for n < min(h.Len(), other.Len()) && h.prefixes[n] == other.prefixes[n] {
		n++
	}
	return n
}

// overlaps reports whether a user's or a model's message of other is in h.
func (h History) overlaps(other *History) bool {
	said := map[string]bool{}
	for _, m := range other.messages {
		said[m.Role+m.Digest] = m.Role == roleUser || m.Role == roleAssistant
	}
	return slices.ContainsFunc(h.messages, func(m protocol.MessageDigest) bool { return said[m.Role+m.Digest] })
}

// Roles of messages with a meaning here.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// digestBytes is how many bytes of a SHA-256 a digest keeps, enough to avoid collisions.
const digestBytes = 16

// prefixDigest returns the digest of messages that end with m, given that of those before
// it.
func prefixDigest(before string, m *protocol.MessageDigest) string {
	hash := sha256.New()
	for _, field := range []string{before, m.Role, m.Digest} {
		hash.Write([]byte(field))
		hash.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:digestBytes])
}

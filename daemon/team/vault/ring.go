package vault

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Ring holds the keys by which the replicas of a team seal. The first key seals and all
// open, so a key is replaced by putting a new one before it.
type Ring struct {
	first string
	keys  map[string]key
}

// key seals with one secret, and makes passes and pseudonyms with another derived from it.
type key struct {
	aead   cipher.AEAD
	passes []byte
}

// errSealed is the only error for what cannot be opened.
var errSealed = errors.New("it was not sealed here, or for something else")

// ParseRing parses a ring: one key per line, an ID and 32 bytes in base64.
func ParseRing(text []byte) (*Ring, error) {
	r := &Ring{keys: map[string]key{}}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		var secret []byte
		if len(fields) == 2 {
			secret, _ = base64.StdEncoding.DecodeString(fields[1])
		}
		if len(secret) != 32 || strings.Contains(fields[0], ".") {
			return nil, fmt.Errorf("keys: line %d is no id, without a dot, and 32 bytes in base64 behind it; `openssl rand -base64 32` makes some", n)
		}
		if _, twice := r.keys[fields[0]]; twice {
			return nil, fmt.Errorf("keys: line %d: there is another key %q", n, fields[0])
		}
		block, err := aes.NewCipher(secret)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		passes, err := hkdf.Key(sha256.New, secret, nil, "passes", sha256.Size)
		if err != nil {
			return nil, err
		}
		r.keys[fields[0]] = key{aead, passes}
		if r.first == "" {
			r.first = fields[0]
		}
	}
	if r.first == "" {
		return nil, errors.New("keys: there is none; `echo \"1 $(openssl rand -base64 32)\"` makes one")
	}
	return r, lines.Err()
}

// bound returns the additional data that ties a sealed value to its purpose.
func bound(purpose string, to ...string) []byte {
	text, _ := json.Marshal(append([]string{purpose}, to...)) // strings only
	return text
}

// seal seals a text, and returns the ID of the key.
func (r *Ring) seal(plain, to []byte) (id string, sealed []byte) {
	return r.first, r.keys[r.first].aead.Seal(nil, nil, plain, to)
}

func (r *Ring) open(id string, sealed, to []byte) ([]byte, error) {
	k, ok := r.keys[id]
	if !ok {
		return nil, fmt.Errorf("it was sealed by the key %q, which is not in the file of keys", id)
	}
	plain, err := k.aead.Open(nil, nil, sealed, to)
	if err != nil {
		return nil, errSealed
	}
	return plain, nil
}

// token seals a value as URL-safe text.
func (r *Ring) token(value any, to []byte) (string, error) {
	plain, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	id, sealed := r.seal(plain, to)
	return id + "." + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// untoken opens a token.
func (r *Ring) untoken(text string, to []byte, value any) error {
	id, rest, _ := strings.Cut(text, ".")
	sealed, err := base64.RawURLEncoding.DecodeString(rest)
	if err != nil {
		return errSealed
	}
	if _, ok := r.keys[id]; !ok {
		return errSealed // the ID is untrusted input
	}
	plain, err := r.open(id, sealed, to)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, value)
}

// Passes returns the proofs of a request from one process of the team to another, one per
// key. The first is the one to send.
func (r *Ring) Passes(purpose string, to ...string) []string {
	var all []string
	for id, k := range r.keys {
		mac := hmac.New(sha256.New, k.passes)
		mac.Write(bound("pass", append([]string{purpose}, to...)...))
		pass := id + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
		if id == r.first {
			all = append([]string{pass}, all...)
		} else {
			all = append(all, pass)
		}
	}
	return all
}

// Pseudonym tells a user apart from others to whoever has not the keys: a hash by the first
// key, 16 hexadecimal digits, the same in all processes of the team. Of a nil ring, and of
// nobody, it is empty.
func (r *Ring) Pseudonym(whose principal.Principal) string {
	if r == nil || whose.Issuer == "" {
		return ""
	}
	mac := hmac.New(sha256.New, r.keys[r.first].passes)
	mac.Write(bound("pseudonym", whose.Issuer, whose.Subject))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// random returns an unguessable text.
func random() string { return rand.Text() }

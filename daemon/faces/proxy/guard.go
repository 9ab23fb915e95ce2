package proxy

import (
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
)

// Guard admits requests of programs on this machine: with a loopback Host, and not from a
// web page. If token is not empty, the path must begin with /t/TOKEN, which is removed
// for next. The token protects machines shared by several users. It is in the path
// because many clients let users set only an address.
func Guard(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !isLoopback(r.Host):
			// A page whose host name resolves to 127.0.0.1 sends its own name (DNS
			// rebinding).
			http.Error(w, "winnow: Host is not this machine", http.StatusForbidden)
		case len(r.Header.Values("Origin")) > 0, fromPage(r.Header.Get("Sec-Fetch-Site")):
			http.Error(w, "winnow: requests of web pages are not served", http.StatusForbidden)
		case token == "":
			next.ServeHTTP(w, r)
		default:
			guardPath(token, next).ServeHTTP(w, r)
		}
	})
}

// fromPage reports whether a page makes the request, by its Sec-Fetch-Site header. A GET,
// as for an image, has no Origin but this header. It is "none" for an address that the
// user typed.
func fromPage(site string) bool { return site != "" && site != "none" }

// guardPath admits paths that begin with the token.
func guardPath(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/t/"), "/")
		if !strings.HasPrefix(r.URL.Path, "/t/") || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "winnow: the address has to begin with /t/ and the token", http.StatusUnauthorized)
			return
		}
		http.StripPrefix("/t/"+given, next).ServeHTTP(w, r)
	})
}

// isLoopback reports whether a Host header names this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

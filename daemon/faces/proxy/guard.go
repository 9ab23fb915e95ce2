package proxy

import (
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
)

// Guard admits requests of programs on this machine: to an address of the
// loopback, by its own name, and from no web page. With a token, the path has
// to begin with /t/TOKEN, which next does not see: for machines that several
// people share, where anybody may ask a port. Nobody needs a header for it,
// since clients let their users set an address alone.
func Guard(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !isLoopback(r.Host):
			// A page whose name was made to point to 127.0.0.1 sends its own name.
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

// fromPage reports whether a browser asks for a page: its requests by GET, as for a
// picture, name no origin, but say that they come from elsewhere. What a person has
// typed comes from nowhere.
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

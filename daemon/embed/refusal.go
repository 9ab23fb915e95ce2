package embed

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// refusal describes an answer with a status other than 200.
func (r *remote) refusal(response *http.Response, answer []byte) *Error {
	cause := excerpt(answer)
	if location := response.Header.Get("Location"); location != "" {
		cause = "redirected to " + location
	}
	failure := r.failure(refusalKind(response.StatusCode, answer), nil, cause)
	failure.Status = response.StatusCode
	failure.RetryAfter = parseRetryAfter(response.Header.Get("Retry-After"), time.Now())
	if failure.Kind == Quota && exhausted(response.StatusCode, answer) {
		// An early retry would fail too.
		failure.RetryAfter = max(failure.RetryAfter, time.Minute)
	}
	return failure
}

// refusalKind classifies a status, using the response if the status is ambiguous.
func refusalKind(status int, answer []byte) Kind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Auth
	case status == http.StatusTooManyRequests, status == http.StatusPaymentRequired:
		return Quota
	case status == http.StatusBadRequest && strings.Contains(string(answer), "API_KEY_INVALID"): // Gemini
		return Auth
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= 500:
		return Unavailable
	default:
		return Rejected
	}
}

// exhausted reports whether a quota is used up, rather than a rate exceeded.
func exhausted(status int, answer []byte) bool {
	return status == http.StatusPaymentRequired || strings.Contains(string(answer), "insufficient_quota") // OpenAI
}

// parseRetryAfter reads a Retry-After header: seconds or a date (RFC 9110,
// section 10.2.3). Anything else, and the past, is 0.
func parseRetryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

// excerpt returns the start of an error response on one line.
func excerpt(answer []byte) string {
	const most = 300
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(answer[:min(len(answer), 4*most)]), "?")), " ")
	if text == "" {
		return "no explanation"
	}
	if len(text) <= most {
		return text
	}
	cut := most
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

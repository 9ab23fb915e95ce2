package proxy

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Bounds on request bodies. Images are sent as text.
const (
	// maxBody bounds one body, in bytes, also when it is decompressed.
	maxBody = 64 << 20
	// maxBodies bounds the bodies held at a time.
	maxBodies = 256 << 20
	// bodyTime bounds the time to read a body: clients are on this machine.
	bodyTime = time.Minute
)

// errBusy is returned if maxBodies is reached.
var errBusy = errors.New("other requests take all the memory that there is for requests")

// bodies reads the bodies of requests.
type bodies struct {
	time time.Duration
	most int64
	held atomic.Int64
}

// decoders maps a Content-Encoding to its decoder.
var decoders = map[string]func(io.Reader) (io.ReadCloser, error){
	"":         func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(r), nil },
	"identity": func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(r), nil },
	"gzip":     func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) },
	"zstd": func(r io.Reader) (io.ReadCloser, error) {
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	},
}

// read reads the body of a request and replaces it by the result of edit. A body that
// edit does not change, or that cannot be decompressed, is sent as received. The caller
// must call release, also after an error.
func (b *bodies) read(w http.ResponseWriter, r *http.Request, edit func(body []byte) []byte) (release func(), err error) {
	held := &heldBytes{bodies: b}
	release = func() { b.held.Add(-held.n) }
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(b.time)) // ignore the error of a server without deadlines
	came, err := held.readAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return release, err
	}
	_ = c.SetReadDeadline(time.Time{})
	sent := came
	plain, ok, err := held.unpack(came, r.Header.Get("Content-Encoding"))
	if err != nil {
		return release, err
	}
	if ok {
		if edited := edit(plain); !bytes.Equal(edited, plain) {
			sent = edited
			r.Header.Del("Content-Encoding")
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(sent))
	r.ContentLength = int64(len(sent))
	return release, nil
}

// heldBytes counts the bytes held for one request.
type heldBytes struct {
	bodies *bodies
	n      int64
}

// unpack returns the decompressed body; ok is false if that fails.
func (h *heldBytes) unpack(body []byte, encoding string) (plain []byte, ok bool, err error) {
	if encoding == "" || encoding == "identity" {
		return body, true, nil
	}
	in, err := decoders[encoding](bytes.NewReader(body))
	if err != nil {
		return nil, false, nil //nolint:nilerr // the provider reports it
	}
	defer in.Close()
	plain, err = h.readAll(http.MaxBytesReader(nil, in, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.Is(err, errBusy) || errors.As(err, &tooLarge) {
		return nil, false, err
	}
	return plain, err == nil, nil
}

// readAll reads a body and counts its bytes.
func (h *heldBytes) readAll(in io.Reader) ([]byte, error) {
	return io.ReadAll(readerFunc(func(p []byte) (int, error) {
		n, err := in.Read(p)
		h.n += int64(n)
		if h.bodies.held.Add(int64(n)) > h.bodies.most {
			return n, errBusy
		}
		return n, err
	}))
}

type readerFunc func(p []byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// refuseBody responds to a request whose body cannot be read.
func refuseBody(w http.ResponseWriter, err error) {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		http.Error(w, "winnow: the request is larger than 64 MiB", http.StatusRequestEntityTooLarge)
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		http.Error(w, "winnow: "+errBusy.Error()+"; ask again in a moment", http.StatusServiceUnavailable)
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, "winnow: the request did not come as a whole within "+bodyTime.String(), http.StatusRequestTimeout)
	default:
		http.Error(w, "winnow: the request could not be read", http.StatusBadRequest)
	}
}

package embed

import (
	"net/http"
	"testing"
	"time"
)

// ask queries until the reason is the wanted one, for at most a minute: on a
// busy machine a good answer can be too slow.
func ask(t *testing.T, store *Store, v *Vectors, want Reason) []float32 {
	t.Helper()
	var reason Reason
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		var vector []float32
		if vector, reason = store.Query(t.Context(), v, time.Now().String()); reason == want {
			return vector
		}
		store.mu.Lock()
		store.breaker = newBreaker() // its pauses have tests of their own
		store.mu.Unlock()
	}
	t.Fatalf("reason %q, want %q", reason, want)
	return nil
}

// TestServer_Restart embeds nothing again after a restart of the daemon.
func TestServer_Restart(t *testing.T) {
	t.Parallel()
	dir, s := t.TempDir(), serve(t)
	for range 2 {
		store, heard := connect(t, dir, s)
		store.SetTexts(1, texts10())
		checkRows(t, heard.next(t), texts10(), 8)
		store.Close()
	}
	if n := s.texts.Load(); n != 10 {
		t.Errorf("%d texts were embedded, want 10", n)
	}
}

// TestServer_DiesAndComesBack kills the server, as a user stops Ollama.
func TestServer_DiesAndComesBack(t *testing.T) {
	t.Parallel()
	s := serve(t)
	store, heard := connect(t, t.TempDir(), s)
	store.SetTexts(1, texts10())
	v := heard.next(t)
	ask(t, store, v, ReasonNone)
	s.Close()
	ask(t, store, v, ReasonFailing)
	s.at.Store(serve(t).at.Load())
	if vector := ask(t, store, v, ReasonNone); len(vector) != 8 {
		t.Errorf("%v from the new server", vector)
	}
}

func TestServer_SlowFailingOverQuota(t *testing.T) {
	t.Parallel()
	s := serve(t)
	store, heard := connect(t, t.TempDir(), s)
	store.SetTexts(1, texts10())
	v := heard.next(t)
	s.hang.Store(true)
	ask(t, store, v, ReasonSlow)
	s.hang.Store(false)
	for status, want := range map[int64]Reason{
		http.StatusTooManyRequests: ReasonQuota, http.StatusPaymentRequired: ReasonQuota,
		http.StatusInternalServerError: ReasonFailing, http.StatusUnauthorized: ReasonFailing,
	} {
		s.status.Store(status)
		ask(t, store, v, want)
	}
	s.status.Store(0)
	ask(t, store, v, ReasonNone)
}

// TestServer_ChangesDimension exchanges the model behind the name.
func TestServer_ChangesDimension(t *testing.T) {
	t.Parallel()
	s := serve(t)
	store, heard := connect(t, t.TempDir(), s)
	store.SetTexts(1, texts10())
	old := heard.next(t)
	s.dim.Store(5)
	ask(t, store, old, ReasonDimension)
	v := heard.next(t)
	checkRows(t, v, texts10(), 5)
	if vector := ask(t, store, v, ReasonNone); len(vector) != 5 {
		t.Errorf("%v with the new model", vector)
	}
}

// TestServer_TwoDaemons share a directory without harm.
func TestServer_TwoDaemons(t *testing.T) {
	t.Parallel()
	dir, s := t.TempDir(), serve(t)
	one, heardOne := connect(t, dir, s)
	two, heardTwo := connect(t, dir, s)
	one.SetTexts(1, texts10()[:6])
	two.SetTexts(1, texts10()[4:])
	checkRows(t, heardOne.next(t), texts10()[:6], 8)
	checkRows(t, heardTwo.next(t), texts10()[4:], 8)
}

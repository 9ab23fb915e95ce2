package mcpserver

import "testing"

// The session whose stream is open stays, though others were used later.
func TestSessions_OpenOnesStay(t *testing.T) {
	t.Parallel()
	s := newSessions()
	listening := s.Generate()
	leave := s.enter(listening)
	idle := s.Generate()
	for range maxSessions {
		s.Generate()
	}
	if s.backchannel(listening) == nil {
		t.Error("the session with a stream is gone")
	}
	if s.backchannel(idle) != nil {
		t.Error("the session used longest ago is not gone")
	}
	leave()
	for range maxSessions {
		s.Generate()
	}
	if s.backchannel(listening) != nil {
		t.Error("a session without a stream stays for ever")
	}
	s.enter("unknown")()
}

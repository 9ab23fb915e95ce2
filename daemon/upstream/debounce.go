package upstream

import "time"

const (
	// quietTime is how long a server must have announced no change before its
	// tools are listed again; patience bounds the wait when it never stops.
	quietTime = 250 * time.Millisecond
	patience  = 2 * time.Second
)

// debounce turns bursts of events into single ones. It belongs to one
// goroutine.
type debounce struct {
	timer *time.Timer
	first time.Time
}

// note records an event.
func (d *debounce) note() {
	now := time.Now()
	if d.timer == nil {
		d.first = now
		d.timer = time.NewTimer(quietTime)
		return
	}
	d.timer.Reset(min(quietTime, patience-now.Sub(d.first)))
}

// fires returns the channel on which the burst ends; nil while there is none.
func (d *debounce) fires() <-chan time.Time {
	if d.timer == nil {
		return nil
	}
	return d.timer.C
}

// stop forgets the burst.
func (d *debounce) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

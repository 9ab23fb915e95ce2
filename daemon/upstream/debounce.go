package upstream

import "time"

const (
	// quietTime is how long a server must announce no change before its tools are listed
	// again. patience bounds that wait if the announcements never stop.
	quietTime = 250 * time.Millisecond
	patience  = 2 * time.Second
)

// debounce merges a burst of events into one. It is not safe for concurrent use.
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

// fires returns the channel that receives at the end of the burst. It is nil if there is
// no burst.
func (d *debounce) fires() <-chan time.Time {
	if d.timer == nil {
		return nil
	}
	return d.timer.C
}

// stop discards the burst.
func (d *debounce) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

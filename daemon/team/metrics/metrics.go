// Package metrics collects a replica's counters for Prometheus. No label contains a name
// of a user, a server or a tool; the record of calls has these.
package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics holds the metrics of one replica. Safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	calls    *prometheus.HistogramVec
	refused  prometheus.Counter
}

// New returns metrics that are all zero. stale returns the seconds since the replica last
// read the versions, version the number of the document in force.
func New(stale, version func() float64) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "winnowteam_requests_total", Help: "Requests over HTTP, by status."}, []string{"code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "winnowteam_request_seconds", Help: "How long requests took.", Buckets: prometheus.ExponentialBuckets(.001, 2, 16),
		}, nil),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "winnowteam_call_seconds", Help: "How long calls of servers' tools took, by outcome.", Buckets: prometheus.ExponentialBuckets(.001, 2, 16),
		}, []string{"outcome"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{Name: "winnowteam_quota_refused_total", Help: "Requests refused for a quota."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.calls, m.refused, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "winnowteam_stale_seconds", Help: "Since when the database was not read; over 10 the replica is not ready."}, stale),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "winnowteam_document_version", Help: "The applied version that is in force."}, version))
	return m
}

// Count counts the requests of a handler.
func (m *Metrics) Count(next http.Handler) http.Handler {
	return promhttp.InstrumentHandlerDuration(m.seconds, promhttp.InstrumentHandlerCounter(m.requests, next))
}

// Called counts a call of a tool.
func (m *Metrics) Called(outcome string, took time.Duration) {
	m.calls.WithLabelValues(outcome).Observe(took.Seconds())
}

// Refused counts a request that a quota refused.
func (m *Metrics) Refused() { m.refused.Inc() }

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

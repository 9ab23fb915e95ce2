package embed

// Reason is why the built-in model ranks instead of the provider's. It is the reason
// field of the telemetry event dynamic_tools.ranker_fallback.
type Reason string

// The reasons for a fallback.
const (
	// ReasonNone: there is a vector, or no provider is configured.
	ReasonNone Reason = ""
	// ReasonSlow: the deadline passed, or passed for the last few queries.
	ReasonSlow Reason = "slow"
	// ReasonNew: the catalogue's vectors are not complete yet.
	ReasonNew Reason = "new"
	// ReasonFailing: the provider does not answer, or not usefully.
	ReasonFailing Reason = "failing"
	// ReasonQuota: the provider refuses because of its limits or the account's
	// credit.
	ReasonQuota Reason = "quota"
	// ReasonDimension: the provider's vectors changed their dimension, or do
	// not have the one asked for.
	ReasonDimension Reason = "dimension"
)

// reasonOf says what a provider's failure means for ranking.
func reasonOf(err error) Reason {
	switch kindOf(err) {
	case Quota:
		return ReasonQuota
	case Dimension:
		return ReasonDimension
	default:
		return ReasonFailing
	}
}

package ranker

import "math"

// grid is the step that scores and their parts are rounded to, 2⁻¹⁶. Sums of
// multiples of it are exact in float64 as long as they stay under 2³⁶, so
// that parts add up to their score to the last bit, in any order; and the
// last bits of math.Log or of a fused multiply-add, which differ between
// processors, do not reach the order of an answer.
const grid = 1.0 / (1 << 16)

func round(x float64) float64 { return math.Floor(x/grid+0.5) * grid }

package shaping

// fairShares divides limit among needs. No share exceeds its need; what a small need
// leaves is divided equally among the others. So a large need never reduces the small
// ones.
func fairShares(needs []int, limit int) []int {
	shares := make([]int, len(needs))
	open := 0
	for _, need := range needs {
		if need > 0 {
			open++
		}
	}
	for left := limit; open > 0; {
		part := left / open
		served := 0
		for i, need := range needs {
			if shares[i] == 0 && need > 0 && need <= part {
				shares[i] = need
				left -= need
				served++
			}
		}
		if served == 0 {
			giveRest(needs, shares, part)
			return shares
		}
		open -= served
	}
	return shares
}

// giveRest sets the share of each unmet need to part.
func giveRest(needs, shares []int, part int) {
	for i, need := range needs {
		if need > 0 && shares[i] == 0 {
			shares[i] = part
		}
	}
}

package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Other is the effect of another setting or of a pin.
type Other struct {
	// Change is the changed value. Set is the line of the settings, or of an entry in
	// winnow.json, that sets it.
	Change string `json:"change"`
	Set    string `json:"set"`
	// Setting is the setting's name in VS Code; empty for a pin.
	Setting string `json:"setting,omitzero"`
	Share   Share  `json:"share"`
	// TokensAfter are the tokens of tools per request. Rounds counts additional requests
	// for tools.
	TokensAfter int `json:"tokensARequest"`
	Rounds      int `json:"extraRounds"`
}

// tryOthers replays with other settings, one at a time, and computes the effect of pins.
func (r *Report) tryOthers(ctx context.Context, now *protocol.Settings, try func(map[string]json.RawMessage) (*Report, error)) error {
	for _, one := range []struct {
		key   string
		value any
		same  bool
	}{
		{"initialK", now.InitialK * 2, now.InitialK == 0},
		{"initialK", now.InitialK / 2, now.InitialK < 2},
		{"named", now.Named * 2, now.Named == 0},
		{"searchK", now.SearchK * 2, false},
		{"strategy", protocol.StrategyTopK, now.Strategy == protocol.StrategyTopK},
		{"proxy.appendAfterMinutes", 0, now.Proxy.AppendAfterMinutes == 0},
	} {
		if one.same || ctx.Err() != nil {
			continue
		}
		value, err := json.Marshal(one.value)
		if err != nil {
			return err
		}
		other, err := try(map[string]json.RawMessage{one.key: value})
		if err != nil {
			return err
		}
		r.Others = append(r.Others, Other{
			Change: fmt.Sprintf("%s: %s", one.key, value), Setting: "winnow." + one.key, Set: fmt.Sprintf("%q: %s", "winnow."+one.key, value),
			Share: other.Calls.Share(), TokensAfter: other.Costs.each(other.Costs.TokensAfter), Rounds: other.Costs.Rounds,
		})
	}
	r.tryPins()
	return nil
}

// tryPins computes the effect of always attaching one of the most missed tools: its calls
// become InFull, and each request carries it.
func (r *Report) tryPins() {
	ids := slices.SortedFunc(maps.Keys(r.misses), func(a, b identity) int {
		return cmp.Or(cmp.Compare(r.misses[b], r.misses[a]), a.compare(b))
	})
	const pins, worthwhile = 3, 2
	for _, id := range ids[:min(len(ids), pins)] {
		if r.misses[id] < worthwhile {
			break
		}
		with := Tally{InFull: r.Calls[InFull] + r.misses[id], ByName: r.Calls.Known() - r.Calls[InFull] - r.misses[id]}
		r.Others = append(r.Others, Other{
			Change: fmt.Sprintf("%s of %s always loaded", id.Tool, id.Server), Set: fmt.Sprintf(`"alwaysLoad": [%q] in the entry of %q`, id.Tool, id.Server),
			Share: with.Share(), TokensAfter: r.Costs.each(r.Costs.TokensAfter) + r.tokens[id], Rounds: max(0, r.Costs.Rounds-r.misses[id]),
		})
	}
}

// each returns the average per request.
func (c *Costs) each(sum int) int {
	if c.Requests == 0 {
		return 0
	}
	return sum / c.Requests
}

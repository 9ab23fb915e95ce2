package router

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

var (
	syntheticVerbs = strings.Fields("create list get update delete search send upload move archive merge deploy restart " +
		"query validate convert translate schedule cancel approve publish")
	syntheticNouns = strings.Fields("issue message file branch commit channel user team project task event calendar invoice " +
		"payment order customer ticket page document table row image video route review contact label secret cluster pod " +
		"volume bucket metric alert dashboard log trace deployment")
	syntheticProse = strings.Fields("returns accepts requires supports optional maximum number of results the identifier in " +
		"workspace given time range sorted by creation date with pagination cursor format markdown json plain text timezone")
)

// syntheticServers returns n tools on servers of fifty, each tool about as
// large as one in the wild: some 120 o200k tokens, four parameters. Equal
// arguments give equal bytes.
func syntheticServers(n int) []ServerInput {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var servers []ServerInput
	for i := range n {
		if i%50 == 0 {
			servers = append(servers, ServerInput{Name: fmt.Sprintf("%s-%d", syntheticNouns[i/50%len(syntheticNouns)], i/50)})
		}
		s := &servers[len(servers)-1]
		s.Tools = append(s.Tools, syntheticTool(rng, i))
	}
	return servers
}

func syntheticTool(rng *rand.Rand, i int) []byte {
	verb, noun, other := of(rng, syntheticVerbs), of(rng, syntheticNouns), of(rng, syntheticNouns)
	properties, required := map[string]any{}, []string{noun + "_id"}
	properties[noun+"_id"] = map[string]any{"type": "string", "description": "The " + noun + " to " + verb + "."}
	properties[other] = map[string]any{"type": "object", "properties": map[string]any{
		"name": map[string]any{"type": "string", "description": prose(rng, 5)},
		"tags": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
	}}
	properties["limit"] = map[string]any{"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
	return marshal(map[string]any{
		"name":        fmt.Sprintf("%s_%s_%s_%d", verb, noun, other, i),
		"description": fmt.Sprintf("%s a %s of a %s. %s.", verb, noun, other, prose(rng, 20)),
		"inputSchema": map[string]any{"type": "object", "properties": properties, "required": required},
		"annotations": map[string]any{"readOnlyHint": verb == "list" || verb == "get"},
	})
}

// syntheticMessages returns n messages of a user of [syntheticServers].
func syntheticMessages(n int) []string {
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	messages := make([]string, n)
	for i := range messages {
		messages[i] = fmt.Sprintf("Please %s the %s of our %s, then %s each %s and tell me %s.", of(rng, syntheticVerbs),
			of(rng, syntheticNouns), of(rng, syntheticNouns), of(rng, syntheticVerbs), of(rng, syntheticNouns), prose(rng, 4))
	}
	return messages
}

func of(rng *rand.Rand, words []string) string { return words[rng.IntN(len(words))] }

func prose(rng *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = of(rng, syntheticProse)
	}
	return strings.Join(words, " ")
}

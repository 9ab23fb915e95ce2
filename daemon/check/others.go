package check

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/router"
)

// otherServers are the bank's files whose tools are placed beside the server's: fifty
// popular servers with about a thousand tools.
//
// Of these tools only the bank's data is used: the name, and phrasings written by
// Winnow's authors, but no text of their servers. Each description is generated from the
// words of the name, a colon, and the first phrasing, a short command. Such tools
// displace others as often as real ones do. The two makers' own tests among them and
// among the 1,075 real tools find .674 and .665, and .955 and .919 of their tools among
// the first five, .757 and .743, and .971 and .971 among the first ten (ranker/eval,
// mongodb and pagerduty).
var otherServers = strings.Fields(`airtable apify asana azure azure-devops brave-search browserstack chrome-devtools
	circleci context7 dbhub desktop-commander elasticsearch everything exa figma-framelink filesystem firecrawl
	git-cyanheads github gmail-gongrzhe google-calendar grafana heroku hubspot kubernetes-flux159 linear mapbox
	memory mongodb n8n netlify notion pinecone playwright postgres redis sentry sequential-thinking shadcn shortcut
	slack stripe supabase task-master tavily terraform todoist-doist trello vault`)

// others returns the tools of other servers, without some of the bank's files.
func others(phrasings *bank.Bank, without []string) []router.ServerInput {
	var servers []router.ServerInput
	for i := range phrasings.Len() {
		e := phrasings.Entry(i)
		if !slices.Contains(otherServers, e.Server) || slices.Contains(without, e.Server) {
			continue
		}
		if n := len(servers); n == 0 || servers[n-1].Name != e.Server {
			servers = append(servers, router.ServerInput{Name: e.Server})
		}
		raw, err := json.Marshal(map[string]any{
			"name": e.Name, "description": spoken(e.Name) + ": " + e.Phrasings[0] + ".", "inputSchema": map[string]any{"type": "object"},
		})
		if err == nil {
			last := &servers[len(servers)-1]
			last.Tools = append(last.Tools, raw)
		}
	}
	return servers
}

// spoken writes the words of a name as the beginning of a sentence.
func spoken(name string) string {
	words := strings.Join(bank.Words(name), " ")
	if words == "" {
		return name
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

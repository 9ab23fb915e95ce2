package display

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

const (
	// maxHighlights is the most highlights in a line, the most important ones.
	maxHighlights = 3
	// maxNamed is the most changes named in a message.
	maxNamed = 3
)

// Changes returns the rows of changes that wait for the user. content returns the
// identifier of a server's current content in a list.
func Changes(p *protocol.LockRowsParams, all []protocol.LockChange, content func(source, server string) (string, error)) (protocol.LockRowsResult, error) {
	var result protocol.LockRowsResult
	for i := range all {
		if change := &all[i]; asked(p, change) {
			result.Changes = append(result.Changes, protocol.LockChangeRow{LockChange: *change, Row: changeRow(change)})
		}
	}
	result.News = news(result.Changes, p.Told)
	servers, err := changedServers(result.Changes, content)
	result.Servers = servers
	return result, err
}

// changedServers returns the rows of the servers with changes.
func changedServers(changes []protocol.LockChangeRow, content func(source, server string) (string, error)) ([]protocol.LockServerRow, error) {
	var servers []protocol.LockServerRow
	for _, change := range changes {
		same := func(s protocol.LockServerRow) bool {
			return s.Answer.Source == change.Source && s.Answer.Server == change.Server
		}
		if at := slices.IndexFunc(servers, same); at >= 0 {
			row := &servers[at].Row
			// The answer is about what the person is shown.
			row.Tooltip, row.Accessibility = row.Tooltip+", "+change.Row.Label, row.Accessibility+", "+change.Row.Label
			continue
		}
		says, err := content(change.Source, change.Server)
		if err != nil {
			return nil, err
		}
		row := protocol.Row{Label: change.Server, Tooltip: change.Row.Label}
		if change.Source != protocol.OwnSource {
			row.Description = stateLooks[protocol.ServerHost].words
		}
		row.Accessibility = joined(", ", row.Label, row.Description, row.Tooltip)
		servers = append(servers, protocol.LockServerRow{
			Answer: protocol.LockDecideParams{Source: change.Source, Server: change.Server, Content: says}, Row: row,
		})
	}
	return servers, nil
}

// asked reports whether a change matches a request. Changes of the daemon's own servers
// are also in the host's lists.
func asked(p *protocol.LockRowsParams, change *protocol.LockChange) bool {
	if p.Server == "" {
		return true
	}
	ofList := change.Source == protocol.OwnSource || hostOf(change.Source) == hostOf(p.Source)
	ofTool := p.Tool == "" || change.Kind == protocol.LockTool && (change.Name == p.Tool || change.HostName == p.Tool)
	return change.Server == p.Server && ofList && ofTool
}

// hostOf returns the host of a list of tools: the part of its name before the last colon.
func hostOf(source string) string {
	if end := strings.LastIndex(source, ":"); end >= 0 {
		return source[:end]
	}
	return source
}

// changeRow shows the kind of a change, its state, and its highlights.
func changeRow(change *protocol.LockChange) protocol.Row {
	label := change.Name
	switch change.Kind {
	case protocol.LockInstructions:
		label = "What the server tells models"
	case protocol.LockResources:
		label = "Resources"
	}
	text := changeText(change)
	return protocol.Row{Label: label, Description: text, Accessibility: change.Server + ": " + label + ": " + text}
}

func changeText(change *protocol.LockChange) string {
	kept, fate := "", "models get what you approved"
	if change.Kept {
		kept = "kept"
	}
	switch {
	case change.State == protocol.LockUnlisted:
		fate = "not approved"
	case change.State == protocol.LockDamaged:
		fate = "held back: its lock is damaged"
	case change.State == protocol.LockJoined && !change.Held:
		fate = "new, models get it"
	case change.State == protocol.LockJoined:
		fate = "new, held back"
	case change.Held:
		fate = "held back"
	case change.Kind == protocol.LockTool:
		fate = "models get the approved text"
	}
	matters := []string{kept, fate}
	for _, finding := range change.Findings {
		matters = append(matters, findingText(finding))
	}
	for i, highlight := range change.Highlights {
		if i == maxHighlights {
			matters = append(matters, Number(len(change.Highlights)-i)+" more")
			break
		}
		matters = append(matters, highlightText(highlight))
	}
	if len(change.Highlights) == 0 {
		for _, part := range change.Parts {
			matters = append(matters, partWords[part])
		}
	}
	return joined(" · ", matters...)
}

var partWords = map[protocol.LockPart]string{
	protocol.LockTexts:        "other words",
	protocol.LockInputSchema:  "other parameters",
	protocol.LockOutputSchema: "another form of result",
	protocol.LockAnnotations:  "other claims of what it does",
	protocol.LockMeta:         "other data for clients (_meta)",
}

// highlightText describes an important detail of a change.
func highlightText(h protocol.LockHighlight) string {
	switch h.Kind {
	case protocol.HighlightRequired:
		return "the parameter " + h.Name + " has to be given now"
	case protocol.HighlightAddresses:
		return "it speaks to the model: “" + h.Text + "”"
	case protocol.HighlightMilder:
		return "it claims less harm: " + h.Name
	case protocol.HighlightAdded:
		return "the parameter " + h.Name + " is new"
	case protocol.HighlightRemoved:
		return "the parameter " + h.Name + " is gone"
	case protocol.HighlightRetyped:
		return "the parameter " + h.Name + " is another one"
	default:
		return string(h.Kind)
	}
}

// news describes the unanswered changes that the user has not been notified of; nil if
// there are none.
func news(changes []protocol.LockChangeRow, told []string) *protocol.LockNews {
	var ids, servers, labels, damaged []string
	for i := range changes {
		change := &changes[i].LockChange
		id := changeID(change)
		switch {
		case slices.Contains(told, id):
			continue
		case change.State == protocol.LockDamaged:
			damaged = append(damaged, change.Server)
		case (change.State == protocol.LockChanged || change.State == protocol.LockJoined && change.Held) && !change.Kept:
			servers, labels = append(servers, change.Server), append(labels, changed(change))
		default:
			continue
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	return &protocol.LockNews{Text: joined(" ", changedNews(distinct(servers), labels), damagedNews(distinct(damaged))), Told: ids}
}

// changedNews says which servers changed what, or "".
func changedNews(servers, labels []string) string {
	if len(servers) == 0 {
		return ""
	}
	offer := "it offers"
	if len(servers) > 1 {
		offer = "they offer"
	}
	return fmt.Sprintf("%s changed what %s: %s. Models do not see the change before you have.",
		listed(servers, maxNamed), offer, listed(labels, maxNamed))
}

// damagedNews names the servers whose lock is damaged, although they have not changed.
func damagedNews(servers []string) string {
	if len(servers) == 0 {
		return ""
	}
	return fmt.Sprintf("What was recorded of %s cannot be read. Models get nothing of %s before you have looked.",
		listed(servers, maxNamed), them(len(servers)))
}

// changed names the subject of a change, in a sentence about its server.
func changed(change *protocol.LockChange) string {
	switch change.Kind {
	case protocol.LockInstructions:
		return "its instructions"
	case protocol.LockResources:
		return "resources"
	default:
		return change.Name
	}
}

// changeID identifies a change. Other content of the same item is another change; another
// list of the same host is not.
func changeID(change *protocol.LockChange) string {
	id, _ := json.Marshal([]string{hostOf(change.Source), change.Server, string(change.Kind), change.Name, change.Content})
	return string(id)
}

// listed joins names with an "and" before the last. Names beyond limit are counted.
func listed(names []string, limit int) string {
	if len(names) > limit {
		names = append(slices.Clone(names[:limit]), Number(len(names)-limit)+" more")
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// distinct returns the texts without duplicates, in their order.
func distinct(texts []string) []string {
	var once []string
	for _, text := range texts {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	return once
}

// Approved describes the result of approving a change.
func Approved(p *protocol.LockDecideParams, r protocol.LockDecideResult) string {
	what, were, are, they := answered(p), "was", "is", "it is"
	if p.Kind == protocol.LockInstructions || p.Kind == protocol.LockResources {
		were, are, they = "were", "are", "they are"
	}
	switch {
	case r.Count == 0:
		return what + " " + were + " approved already."
	case p.Kind != "":
		return what + " " + are + " approved as " + they + " now."
	}
	var kinds []string
	if r.Tools > 0 {
		kinds = append(kinds, Count(r.Tools, "tool"))
	}
	if r.Prompts > 0 {
		kinds = append(kinds, Count(r.Prompts, "prompt"))
	}
	if r.Instructions {
		kinds = append(kinds, "its instructions")
	}
	if r.Resources {
		kinds = append(kinds, "its resources")
	}
	return what + " is approved as it is now: " + listed(kinds, len(kinds)) + "."
}

// Kept describes the result of keeping the locked version.
func Kept(p *protocol.LockDecideParams) string {
	return "What is locked of " + answered(p) + " stays. Models do not get the change."
}

// answered names the subject of an answer.
func answered(p *protocol.LockDecideParams) string {
	switch p.Kind {
	case protocol.LockInstructions:
		return "the instructions of " + p.Server
	case protocol.LockResources:
		return "the resources of " + p.Server
	case "":
		return p.Server
	default:
		return p.Name + " of " + p.Server
	}
}

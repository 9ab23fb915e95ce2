package ranker

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

// kitOf makes tools from "server.name(required, required): description".
func kitOf(t testing.TB, specs ...string) []Document {
	t.Helper()
	var docs []Document
	for _, spec := range specs {
		head, description, _ := strings.Cut(spec, ": ")
		head, list, _ := strings.Cut(head, "(")
		d := tools(t, head+": "+description)[0]
		for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return strings.ContainsRune("(), ", r) }) {
			d.Parameters = append(d.Parameters, Parameter{Name: name, Required: !strings.HasSuffix(name, "?")})
		}
		docs = append(docs, d)
	}
	return docs
}

// companionsIn writes what a tool needs: "list_teams for its teamId".
func companionsIn(c *Corpus, tool string) string {
	x := c.fusion()
	var list []string
	for i := range c.docs {
		if c.docs[i].ID != tool {
			continue
		}
		for _, needed := range x.companions.of(int32(i)) {
			list = append(list, c.docs[needed.doc].Name+" "+needed.why)
		}
	}
	return strings.Join(list, "; ")
}

func TestCompanions(t *testing.T) {
	t.Parallel()
	c := NewCorpus(kitOf(t,
		"chat.list_teams: Teams", "chat.list_channels(teamId): Channels", "chat.send_message(teamId, channelId, message): Send",
		"chat.get_message(messageId): One", "chat.search_messages(query): Find",
		"pm.project_list: All", "pm.update_issue(id, data): Change", "pm.get_issue_using_key(key_of): One", "pm.create_issue(project_id, title, assignee_id?): New",
		"docs.resolve-library-id(libraryName): Find a library", "docs.get-docs(topic): Text. You must call 'resolve-library-id' first",
		"docs.print(topic): Use `get-docs` to get the text", "docs.render(topic): Unlike resolve-library-id, use this first",
		"notes.list_vaults: Vaults", "notes.read(vault, path): Read a note",
		"web.browser_navigate(url): Go", "web.browser_click(ref): Click", "web.browser_snapshot: Elements", "web.browser_close: End",
		"alone.update_issue(issue_id): No other tool",
		"cloud.project_list: All", "cloud.service_list(projectId): All", "cloud.volume_list(projectId): All",
		"cloud.project_environments(projectId): All", "cloud.service_restart(serviceId, environmentId): Again",
		"drive.drive_search(query): Find", "drive.drive_read(fileId): One",
		"rows.list_records(table): All", "rows.create_records(records): New", "rows.create_record(record): New", "rows.delete_record(recordId): Gone",
	), nil)
	for _, test := range []struct{ tool, want string }{
		{"chat.send_message", "list_teams for its teamId; list_channels for its channelId"},
		{"chat.list_channels", "list_teams for its teamId"},
		{"chat.list_teams", ""},
		{"chat.get_message", "search_messages for its messageId"},
		{"pm.create_issue", "project_list for its project_id"},
		{"pm.update_issue", "get_issue_using_key for its id"},
		{"cloud.service_restart", "service_list for its serviceId; project_environments for its environmentId"},
		{"drive.drive_read", "drive_search for its fileId"},
		{"docs.get-docs", "resolve-library-id whose description says so"},
		{"docs.print", "get-docs whose description says so"},
		{"docs.render", ""},
		{"notes.read", "list_vaults for its vault"},
		{"web.browser_click", "browser_navigate to open the page; browser_snapshot to know the page's elements"},
		{"web.browser_close", ""},
		{"alone.update_issue", ""},
		{"rows.create_records", ""},
		{"rows.create_record", ""},
		{"rows.delete_record", "list_records for its recordId"},
	} {
		if got := companionsIn(c, test.tool); got != test.want {
			t.Errorf("%s needs %q, want %q", test.tool, got, test.want)
		}
	}
}

// A tool that the message does not speak of comes because a better one needs it,
// behind that one, and says so.
func TestRank_BringsWhatIsNeeded(t *testing.T) {
	t.Parallel()
	docs := append(office(t), kitOf(t, "hub.list_spaces: Enumerate", "hub.publish_report(spaceId): Publish the weekly report")...)
	q := Query{Text: "publish the weekly report", Explain: true}
	c := NewCorpus(docs, nil)
	found := c.Ranker(Auto).Rank(q)
	if got := ids(c, found); got != "hub.publish_report hub.list_spaces" {
		t.Fatalf("found %q, want the tool and what it needs", got)
	}
	if got, want := detailOf(found[1].Parts, "needed for"), "publish_report, for its spaceId"; got != want {
		t.Errorf("needed for %q, want %q", got, want)
	}
	// Three quarters of the score of the one that needs it.
	if got, want := found[1].Score, signals.Round(DefaultWeights().Needed*found[0].Score); got != want || sumOfParts(found[1].Parts) != got {
		t.Errorf("score %v of parts %v, want %v", got, found[1].Parts, want)
	}
	q.Eligible = func(doc int) bool { return c.Document(doc).Name != "list_spaces" }
	if got := ids(c, c.Ranker(Auto).Rank(q)); got != "hub.publish_report" {
		t.Errorf("found %q, want none that is not eligible", got)
	}
}

// What a tool writes to, its server's reader of the same place comes along.
func TestCompanions_readersComeBehindTheirWriter(t *testing.T) {
	t.Parallel()
	required := func(names ...string) (list []Parameter) {
		for _, name := range names {
			list = append(list, Parameter{Name: name, Required: true})
		}
		return list
	}
	docs := []Document{
		{ID: "1", Server: "excel", Name: "create_table", Parameters: required("filepath", "sheet", "range")},
		{ID: "2", Server: "excel", Name: "read_data", Parameters: required("filepath", "sheet")},
		{ID: "3", Server: "excel", Name: "get_metadata", Parameters: required("filepath")},
		{ID: "4", Server: "excel", Name: "read_log", Parameters: required("day")},
	}
	x := NewCorpus(docs, nil).fusion()
	if got := x.companions.of(0); len(got) != 1 || got[0].doc != 1 {
		t.Errorf("create_table brings %+v, want read_data, which is told the most of the same", got)
	}
	if got := x.companions.of(1); len(got) != 0 {
		t.Errorf("read_data, which writes nothing, brings %+v", got)
	}
}

package check

// Level says how much a finding matters.
type Level string

// The levels, the weightiest first: a client refuses the tool or the whole list; a
// tool is cut, mistaken or not found; tokens that could be spared.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
	// Never is no level: no finding is as weighty.
	Never Level = "never"
)

// Levels are those that findings have.
func Levels() []Level { return []Level{Error, Warning, Note} }

// Format is the version of [Report] as JSON.
const Format = 1

// Report is all that is found. As JSON it is the baseline of a later run, too.
type Report struct {
	Format int    `json:"format"`
	Server Server `json:"server"`
	// Messages counts those that tools were looked for by.
	Messages Messages `json:"messages"`
	Tools    []Tool   `json:"tools"`
	// Mistaken counts which tools come before those that messages need, among the
	// server's own.
	Mistaken []Mistaken `json:"mistaken,omitempty"`
	// Since is what changed since the baseline; nil without one.
	Since    *Since    `json:"since,omitempty"`
	Findings []Finding `json:"findings"`
}

// Server is what the server's tools are together.
type Server struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Source  string `json:"source"`
	Tools   int    `json:"tools"`
	// Tokens of all tools as a model is sent them, of which Spare could be left out.
	Tokens int `json:"tokens"`
	Spare  int `json:"spare"`
	// Instructions and OutputSchemas are tokens beside those, which some clients
	// send.
	Instructions  int `json:"instructions,omitempty"`
	OutputSchemas int `json:"outputSchemas,omitempty"`
	// Strict counts tools whose schemas are as OpenAI's strict mode wants them.
	Strict int `json:"strict"`
}

// Messages says by which messages tools were looked for.
type Messages struct {
	Count int `json:"count"`
	// From is the file, or "bank" for what Winnow's own bank has of this server;
	// empty for none.
	From string `json:"from,omitempty"`
	// Alone and Among are the ranks of all needed tools: among the server's own, and
	// among Others tools of other servers besides.
	Alone  Ranks `json:"alone,omitzero"`
	Among  Ranks `json:"among,omitzero"`
	Others int   `json:"others"`
	// Lean are the ranks among others without what could be spared.
	Lean Ranks `json:"lean,omitzero"`
}

// Ranks is where a tool was found by the messages that need it.
type Ranks struct {
	Messages int `json:"messages"`
	// First, Five and Ten count the messages by which it is first, and among the
	// first five and ten.
	First int `json:"first"`
	Five  int `json:"five"`
	Ten   int `json:"ten"`
	// Median is the rank in the middle, of an even number the worse one.
	Median int `json:"median"`
}

// Tool is what is found of one tool.
type Tool struct {
	Name string `json:"name"`
	// Tokens is what it costs, of which Description and Schema are its parts, and
	// Spare what could be left out.
	Tokens      int `json:"tokens"`
	Description int `json:"description"`
	Schema      int `json:"schema"`
	Spare       int `json:"spare"`
	// Alone and Among are its ranks; zero without messages.
	Alone Ranks `json:"alone,omitzero"`
	Among Ranks `json:"among,omitzero"`
	// Text and Parameters are kept to compare with; a parameter is required where
	// it is true.
	Text       string          `json:"text,omitempty"`
	Parameters map[string]bool `json:"parameters,omitempty"`
}

// Mistaken is how often Other comes first of the server's own tools for a message
// that needs Tool.
type Mistaken struct {
	Tool  string `json:"tool"`
	Other string `json:"other"`
	Count int    `json:"count"`
	Of    int    `json:"of"`
	// Message is one of them.
	Message string `json:"message"`
}

// Finding is something to look at.
type Finding struct {
	Rule  string `json:"rule"`
	Level Level  `json:"level"`
	// Tool is the one that it is about; empty where it is about several, or all.
	Tool string `json:"tool,omitempty"`
	Text string `json:"text"`
	// Fix is what would mend it; nil where nothing was found that does.
	Fix *Fix `json:"fix,omitempty"`
}

// Fix is a change that mends a finding.
type Fix struct {
	// Do says what to change; Line is what to write there, where something is to be
	// written.
	Do   string `json:"do"`
	Line string `json:"line,omitempty"`
	// Tokens is by how much the tools would cost more, or less.
	Tokens int `json:"tokens,omitempty"`
	// Before and After are the ranks without and with it, tried on a copy; nil where
	// ranks have nothing to do with it. HeldOut: each message was ranked with a line
	// of the words of others.
	Before  *Ranks `json:"before,omitempty"`
	After   *Ranks `json:"after,omitempty"`
	HeldOut bool   `json:"heldOut,omitempty"`
}

// Count counts the findings of a level.
func (r *Report) Count(level Level) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Level == level {
			n++
		}
	}
	return n
}

// Fails reports whether there is a finding of a level, or of a weightier one.
func (r *Report) Fails(on Level) bool {
	for _, level := range Levels() {
		if on != Never && r.Count(level) > 0 {
			return true
		}
		if level == on {
			break
		}
	}
	return false
}

package check

// Level is the severity of a finding.
type Level string

// The levels, most severe first: a client refuses the tool or the whole list; a tool is
// cut, confused or not found; tokens could be saved.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
	// Never is above all levels, so that no finding reaches it.
	Never Level = "never"
)

// Levels returns the levels of findings, most severe first.
func Levels() []Level { return []Level{Error, Warning, Note} }

// Format is the version of [Report]'s JSON format.
const Format = 1

// Report holds all results. Its JSON is the baseline of a later run.
type Report struct {
	Format int    `json:"format"`
	Server Server `json:"server"`
	// Messages describes the messages by which tools were searched.
	Messages Messages `json:"messages"`
	Tools    []Tool   `json:"tools"`
	// Mistaken counts which of the server's own tools precede those that messages need.
	Mistaken []Mistaken `json:"mistaken,omitempty"`
	// Since is the comparison with the baseline; nil without one.
	Since    *Since    `json:"since,omitempty"`
	Findings []Finding `json:"findings"`
}

// Server sums up the server's tools.
type Server struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Source  string `json:"source"`
	Tools   int    `json:"tools"`
	// Tokens is the cost of all tools for a model; Spare of these can be omitted.
	Tokens int `json:"tokens"`
	Spare  int `json:"spare"`
	// Instructions and OutputSchemas are additional tokens that some clients send.
	Instructions  int `json:"instructions,omitempty"`
	OutputSchemas int `json:"outputSchemas,omitempty"`
	// Strict counts the tools whose schemas meet OpenAI's strict mode.
	Strict int `json:"strict"`
}

// Messages describes the messages by which tools were searched.
type Messages struct {
	Count int `json:"count"`
	// From is the file, or "bank" for the bank's messages for this server, or "".
	From string `json:"from,omitempty"`
	// Alone and Among are the ranks of all needed tools: among the server's own, and
	// among Others additional tools of other servers.
	Alone  Ranks `json:"alone,omitzero"`
	Among  Ranks `json:"among,omitzero"`
	Others int   `json:"others"`
	// Lean are the ranks among others without what could be omitted.
	Lean Ranks `json:"lean,omitzero"`
}

// Ranks says at which places a tool was found for the messages that need it.
type Ranks struct {
	Messages int `json:"messages"`
	// First, Five and Ten count the messages for which it is first, or among the first
	// five or ten.
	First int `json:"first"`
	Five  int `json:"five"`
	Ten   int `json:"ten"`
	// Median is the median rank, the worse one for an even number.
	Median int `json:"median"`
}

// Tool holds the results for one tool.
type Tool struct {
	Name string `json:"name"`
	// Tokens is its cost. Description and Schema are parts of that, and Spare could be
	// omitted.
	Tokens      int `json:"tokens"`
	Description int `json:"description"`
	Schema      int `json:"schema"`
	Spare       int `json:"spare"`
	// Alone and Among are its ranks; zero without messages.
	Alone Ranks `json:"alone,omitzero"`
	Among Ranks `json:"among,omitzero"`
	// Text and Parameters are for later comparison. Parameters maps names to whether they
	// are required.
	Text       string          `json:"text,omitempty"`
	Parameters map[string]bool `json:"parameters,omitempty"`
}

// Mistaken counts how often Other is the first of the server's own tools for a message
// that needs Tool.
type Mistaken struct {
	Tool  string `json:"tool"`
	Other string `json:"other"`
	Count int    `json:"count"`
	Of    int    `json:"of"`
	// Message is an example.
	Message string `json:"message"`
}

// Finding is a result to act on.
type Finding struct {
	Rule  string `json:"rule"`
	Level Level  `json:"level"`
	// Tool is the tool concerned; "" if there are several, or all.
	Tool string `json:"tool,omitempty"`
	Text string `json:"text"`
	// Fix is a tested remedy; nil if none was found.
	Fix *Fix `json:"fix,omitempty"`
}

// Fix is a change that resolves a finding.
type Fix struct {
	// Do says what to change. Line is the text to write there, if any.
	Do   string `json:"do"`
	Line string `json:"line,omitempty"`
	// Tokens is the change of the tools' cost.
	Tokens int `json:"tokens,omitempty"`
	// Before and After are the ranks without and with it, tested on a copy; nil if it
	// does not affect ranks. HeldOut reports that each message was ranked with a line
	// made from the words of others.
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

// Fails reports whether there is a finding of a level or a more severe one.
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

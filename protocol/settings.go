package protocol

// Settings are Winnow's settings, in VS Code under `winnow.`. The doc comment
// of a field is what the user reads. Tags: `json` is the setting's name, `title`
// what it is called, `basic` is the place of one of the few that most people want,
// `limits` its inclusive bounds, `scope` VS Code's scope when it is not
// `window`; `restricted` marks what a folder that is not trusted must not set,
// and one that is only more strictly than the user: it costs, asks less, or sends
// what somebody typed elsewhere. It lists the values, the strictest first; those
// that it leaves out are alike; `common` is for lists, of which what both hold is
// the strictest. `otherwise` names the setting beside a map that holds for what the
// map does not name.
type Settings struct {
	// Choose the tools of each request. Off, every tool that the host shows is
	// attached, and your rules still hold.
	Enabled bool `json:"enabled" title:"Routing" basic:"1"`
	// How much goes along with a request: several of the settings below at once.
	// What you have set yourself stays as you set it.
	Profile Profile `json:"profile" title:"How much goes along" basic:"8"`
	// Turns of a task whose message is ranked and whose tools are added. After
	// them messages add no more tools; the model still can, by `mcp_load`. **0
	// turns routing off**, as `winnow.enabled` does.
	SearchTurns int `json:"searchTurns" limits:"0,1000" title:"Turns of a task that add tools"`
	// MCP tools in scope above which routing starts. At or below it every tool
	// is attached.
	Threshold int `json:"threshold" limits:"0,100000" title:"Choose tools above this many" basic:"2"`
	// Start routing also when the tools in scope cost more tokens than this. 0
	// goes by their number only.
	ThresholdTokens int `json:"thresholdTokens" limits:"0,100000000" title:"Choose tools above this many tokens"`
	// Tools attached for the first message of a task. K is what search engines call
	// the number of results.
	InitialK int `json:"initialK" limits:"0,1000" title:"How many tools a task starts with" basic:"3"`
	// Tools that are only named for the first message of a task, the next best
	// below those attached: a line each in the description of `mcp_load`, by
	// which the model attaches them by name. Fewer are named where the lines would
	// cost more than a tenth of the tools that they leave out, or than half of what
	// the request saves of what VS Code would send by itself. 0 names none.
	Named int `json:"named" limits:"0,1000" title:"Tools named for the first message"`
	// Tools added for each later message, and by each `mcp_load`.
	SearchK int `json:"searchK" limits:"1,1000" title:"Tools for each later message" basic:"4"`
	// Most tools in one request, the host's own included. A model's own limit
	// wins when it is lower.
	MaxTools int `json:"maxTools" limits:"1,100000" title:"Most tools in a request"`
	// Most tokens of the tools attached to one task, pinned ones included. A
	// tool that does not fit is left out, and a cheaper one may take its place.
	// 0 limits their number only.
	BudgetTokens int `json:"budgetTokens" limits:"0,100000000" title:"Most tokens of tools" basic:"5"`
	// How tools are chosen for each message of a task.
	Strategy Strategy `json:"strategy" title:"How tools are chosen"`
	// Tools a turn, with strategy `topK`. As with every strategy, at or below
	// `winnow.threshold` tools all are attached: lower that too where fewer are to be
	// cut.
	TopK int `json:"topK" limits:"1,1000" title:"Tools a turn, chosen afresh"`
	// Which of VS Code's own tools go along with a routed model's requests. What is
	// left out is named, and the model gets it by `mcp_load` or by calling it. Not
	// with `winnow.shadow` or strategy `dispatch`.
	BuiltInTools BuiltInTools `json:"builtInTools" title:"VS Code's own tools" basic:"9"`
	// What ranks the tools.
	Ranker RankerKind `json:"ranker" title:"What ranks the tools"`
	// Ranking by meaning.
	Embeddings EmbeddingsSettings `json:"embeddings"`
	// What Winnow learns from how you work, on this machine alone.
	Learn LearnSettings `json:"learn"`
	// What happens when the model calls a tool that exists but is not attached
	// yet.
	EarlyCall EarlyCall `json:"earlyCall" restricted:"refuse,retry,attach" title:"Calls of tools that are not attached"`
	// Decide and show, but change nothing: every tool in scope is attached, and
	// the views tell what routing would have done.
	Shadow bool `json:"shadow" title:"Only watch" basic:"6"`
	// The results of tools that Winnow calls.
	Results ResultsSettings `json:"results"`
	// The answers of `mcp_search`.
	Search SearchSettings `json:"search"`
	// What servers may say about their own tools, message by message.
	Gating GatingSettings `json:"gating"`
	// Winnow as one MCP server for other clients.
	Gateway GatewaySettings `json:"gateway"`
	// The model proxy.
	Proxy ProxySettings `json:"proxy"`
	// The routed models.
	RoutedModels RoutedModelsSettings `json:"routedModels"`
	// The daemon itself.
	Daemon DaemonSettings `json:"daemon"`
	// The MCP servers that Winnow runs.
	Servers ServersSettings `json:"servers"`
	// What happens when a server says something else of its tools, prompts or
	// itself than it did before.
	Lock LockMode `json:"lock" restricted:"enforce,warn,off" title:"When a server changes its tools"`
	// The record of calls.
	Journal JournalSettings `json:"journal"`
	// Report anonymous counts of what routing does, never any text, names or
	// arguments, and never above VS Code's own telemetry level. In VS Code they
	// are written to Winnow's log; nothing is sent anywhere.
	Telemetry bool `json:"telemetry" restricted:"false" title:"Anonymous counts"`
}

// LearnSettings are the settings under `winnow.learn.`.
type LearnSettings struct {
	// Remember which tools the model had to load by itself, and rank them
	// better for messages like that one. What is kept stays in a file on this
	// machine: the tools' names, and prints of the message's words from which
	// the message cannot be read. The command *Clear Caches and Learned Data*
	// forgets it.
	Loads bool `json:"loads" restricted:"false" title:"Learn from what models load"`
	// Rank tools better whose servers the folder speaks for: a `Chart.yaml` for
	// Kubernetes, `mongodb` in a `package.json` for MongoDB, the host of a git remote.
	// Only names of files and dependencies are read, on this machine, and only in a
	// folder that you trust; a provider of embeddings is sent nothing of it. What was
	// called lately counts too.
	Folder bool `json:"folder" title:"Look at the folder"`
}

// ResultsSettings are the settings under `winnow.results.`.
type ResultsSettings struct {
	// Most characters of one result, whatever it is made of but images and
	// audio, in every mode; structured content that repeats the text counts
	// once. A longer one, errors too, is cut: a text keeps its head and tail, a
	// JSON array its first items. The whole is kept for 24 hours, and the model
	// reads the rest by `mcp_result`; what cannot be kept is lost, and the
	// result says so. One that fits loses the blanks of JSON, unless it may be
	// that of a file. One that stands above in the same request is named in place of
	// being sent again, by routed models, @winnow and the proxy. 0 changes nothing.
	MaxChars int `json:"maxChars" limits:"0,100000000" title:"Most characters of a result"`
	// Most characters of base64 of all images and audio of one result, in every
	// mode. What does not fit is left out, and the result says so; a smaller one
	// behind it still arrives. The default is what providers take of one image. 0
	// lets all pass.
	MaxMediaChars int `json:"maxMediaChars" limits:"0,100000000" title:"Most characters of images and audio"`
	// Replace secrets that a server has got from its configuration by a mark,
	// where the server sends them back in a result, a question or an error:
	// values of inputs that are passwords, of authorization headers, and of what
	// is named as a key, token, secret or password, from eight characters on.
	MaskSecrets bool `json:"maskSecrets" restricted:"true" title:"Hide secrets in results"`
	// Let a model pass a result on without reading it: an argument may be
	// `{"$from": "<handle>"}`, a part of it by `path`, `lines` or `match`. What one
	// server answered goes to another only when you were asked. false refuses
	// every reference.
	References bool `json:"references" restricted:"false" title:"Pass results on unread"`
	// Let a model run a program of calls by `mcp_run`, in Starlark: several calls
	// in one, of tools of servers that Winnow runs, of which it reads what the
	// program returns. Each call is checked, asked about and recorded as any
	// other; one that you could not be asked about is not made.
	Programs bool `json:"programs" restricted:"false" title:"Programs of calls"`
}

// NamesRepeats reports whether results that a request has already may be named, in
// place of being sent again.
func (s *Settings) NamesRepeats() bool { return s.Enabled && !s.Shadow && s.Results.MaxChars > 0 }

// SearchSettings are the settings under `winnow.search.`.
type SearchSettings struct {
	// Tools that `mcp_search` shows where the model names no number; 20 at most.
	Results int `json:"results" limits:"1,1000" title:"Tools that a search shows"`
}

// GatingSettings are the settings under `winnow.gating.`.
type GatingSettings struct {
	// Servers, by name, that may see each of your messages: those among them that
	// offer `_tool_gating` are asked which of their own tools matter for it. No
	// other server is.
	Servers []string `json:"servers" restricted:"common" title:"Servers that may see your messages"`
	// Milliseconds for which a message waits for servers that offer
	// `_tool_gating`. A server that is late excludes nothing.
	TimeoutMs int `json:"timeoutMs" limits:"1,10000" title:"Milliseconds for servers that see messages"`
	// What happens when a server claims that a tool of its own answers the
	// message, without the model.
	Claims GatingClaims `json:"claims" restricted:"never,ask,allow" title:"When a server claims a message"`
}

// GatewaySettings are the settings under `winnow.gateway.`.
type GatewaySettings struct {
	// What clients of the gateway are shown.
	Mode GatewayMode `json:"mode" title:"What clients of the gateway are shown"`
	// When you are asked about a call of a tool that may write. The question
	// comes through the client, so only clients that support elicitation ask.
	ConfirmWrites ConfirmWrites `json:"confirmWrites" restricted:"always,dispatched,never" title:"Questions before calls that may write"`
	// The same for single servers, by name:
	// `"winnow.gateway.confirmWritesFor": { "github": "never" }`. In
	// Winnow's own files also by a key: `"gateway.confirmWritesFor.github": "never"`. A
	// server that is not named goes by `winnow.gateway.confirmWrites`.
	ConfirmWritesFor map[string]ConfirmWrites `json:"confirmWritesFor" restricted:"always,dispatched,never" otherwise:"confirmWrites" title:"Questions before calls that may write, by server"`
	// Offer the gateway to VS Code's own agent too, as the MCP server *Winnow
	// Gateway*: for models that have no routed model beside them, such as
	// Copilot's own. With a model named “… (Winnow)” leave it off: that one
	// has the tools of the servers that VS Code runs itself.
	InVSCode bool `json:"inVSCode" restricted:"false" title:"Gateway for VS Code's own agent"`
}

// Confirms returns when the user is asked about a call of a server's tool that may
// write.
func (g *GatewaySettings) Confirms(server string) ConfirmWrites {
	if of, ok := g.ConfirmWritesFor[server]; ok {
		return of
	}
	return g.ConfirmWrites
}

// ProxySettings are the settings under `winnow.proxy.`.
type ProxySettings struct {
	// Minutes without a request after which a message of a conversation adds
	// tools again. Tools stand before all that is said, so each that is added
	// has the provider read the whole conversation anew while it still has it in
	// its cache. Until then the tools stay as the first message chose them, and
	// the model adds others by `mcp_load`. 0 adds tools for each message, as
	// elsewhere. With `winnow.strategy` at `topK` it has no effect: there each
	// message chooses all tools anew.
	AppendAfterMinutes int `json:"appendAfterMinutes" limits:"0,525600" title:"Minutes before the proxy adds tools again"`
}

// RoutedModelsSettings are the settings under `winnow.routedModels.`. The
// extension goes by them.
type RoutedModelsSettings struct {
	// Offer routed models for Copilot's own models too. Copilot counts **each
	// forwarded request as one that you made yourself, and may bill it**: an
	// agent at work sends many for one message. For Copilot's models the gateway
	// is usually the better way.
	Copilot bool `json:"copilot" restricted:"false" title:"Routed models for Copilot's own" basic:"7"`
}

// DaemonSettings are the settings under `winnow.daemon.`. The extension goes
// by them.
type DaemonSettings struct {
	// The absolute path of the `winnowd` to run. Empty runs the one that comes
	// with the extension.
	Path string `json:"path" scope:"machine" title:"Program of the daemon"`
}

// ServersSettings are the settings under `winnow.servers.`.
type ServersSettings struct {
	// When servers start and stop. One of which Winnow does not know how it works and
	// whose entry has no `share`, that a client does not share, that is in
	// `winnow.gating.servers`, of which somebody follows a resource, that has sent
	// you to sign in, or that has changed its tools may keep a state: it does
	// not stop.
	Start ServerStart `json:"start" title:"When servers start and stop"`
	// Minutes for which the process of a server stays that nothing uses. Clients that start the same server share its process, as `share` of
	// the server's entry says. 0 shares none and stops none: each client runs
	// processes of its own, which end with it.
	IdleMinutes int `json:"idleMinutes" limits:"0,1440" title:"Minutes that unused servers stay"`
	// Also run the servers of `.vscode/mcp.json`. VS Code runs them itself, so
	// switch this on only where Winnow stands in front of them.
	FromVSCode bool `json:"fromVSCode" restricted:"false" title:"Also run VS Code's servers"`
}

// JournalSettings are the settings under `winnow.journal.`.
type JournalSettings struct {
	// Keep the text of what a tool was called with in the record of calls, too,
	// and of the error where it failed; arguments also in what is sent to
	// OpenTelemetry. Off, the record has a hash of the arguments. What is longer
	// than 64 KiB is left to its hash.
	Arguments bool `json:"arguments" restricted:"false" title:"Keep arguments in the record of calls"`
}

// Profile is how much goes along with a request.
type Profile string

// The values of [Profile].
const (
	// 30 tools for the first message and 90 by name.
	ProfileStandard Profile = "standard"
	// 15 tools for the first message and 105 by name: little more than half the
	// tokens; in one task of ten the model asks once more.
	ProfileLean Profile = "lean"
	// For small models that run on your machine: 8 tools for the first message,
	// 30 by name, 4 for each later one, and 3 in what `mcp_search` shows. Of the
	// tools of servers that Winnow runs they get the beginning of the description,
	// and of each parameter's its first sentence.
	ProfileSmall Profile = "small"
)

// Strategy is how tools are chosen for each message of a task.
type Strategy string

// The values of [Strategy].
const (
	// Rank the first messages of a task and add what fits; nothing is ever
	// removed, so the prompt cache survives.
	StrategyWindow Strategy = "window"
	// Choose the best tools afresh for each message.
	StrategyTopK Strategy = "topK"
	// Attach none; the model finds tools by `mcp_search` and runs them by
	// `mcp_call`. The cost does not grow with the number of tools.
	StrategyDispatch Strategy = "dispatch"
)

// GatingClaims is what happens when a server claims a message.
type GatingClaims string

// The values of [GatingClaims].
const (
	// You are asked, unless the tool only reads and you have approved it, or allowed it once.
	ClaimsAsk GatingClaims = "ask"
	// A tool of which its server says that it only reads runs at once, which counts as your having allowed it; you are asked about any other.
	ClaimsAllow GatingClaims = "allow"
	// The model answers.
	ClaimsNever GatingClaims = "never"
)

// GatewayMode is what clients of the gateway are shown.
type GatewayMode string

// The values of [GatewayMode].
const (
	// `dynamic` for clients that are known to list again when their list has
	// grown, by what they did before or by their name; `dispatch` for all others,
	// and in every mode but `all` for clients of MCP 2026-07-28, whose lists may
	// not grow.
	GatewayAuto GatewayMode = "auto"
	// `mcp_load`, `mcp_call`, `mcp_read` and the pinned tools; what is loaded joins the list,
	// and can be run by `mcp_call` at once.
	GatewayDynamic GatewayMode = "dynamic"
	// `mcp_search`, `mcp_call`, `mcp_read` and the pinned tools; the list does not grow with
	// what is found.
	GatewayDispatch GatewayMode = "dispatch"
	// Every tool in scope.
	GatewayAll GatewayMode = "all"
)

// ConfirmWrites is when the user is asked about a call that may write.
type ConfirmWrites string

// The values of [ConfirmWrites].
const (
	// For calls by `mcp_call`: the client cannot tell by its name what they run.
	ConfirmDispatched ConfirmWrites = "dispatched"
	// For every call.
	ConfirmAlways ConfirmWrites = "always"
	// Never; the client asks on its own, or not.
	ConfirmNever ConfirmWrites = "never"
)

// RankerKind is what ranks the tools.
type RankerKind string

// The values of [RankerKind].
const (
	// The best that is available, falling back by itself.
	RankerAuto RankerKind = "auto"
	// Words and embeddings together.
	RankerHybrid RankerKind = "hybrid"
	// Embeddings only.
	RankerEmbeddings RankerKind = "embeddings"
	// Words only (BM25).
	RankerBM25 RankerKind = "bm25"
	// The number of shared words of four letters and more.
	RankerKeyword RankerKind = "keyword"
)

// BuiltInTools says which of VS Code's own tools go along.
type BuiltInTools string

// The values of [BuiltInTools].
const (
	// All of them.
	BuiltInKeep BuiltInTools = "keep"
	// Those that the prompt of the request names, those to read, search, edit, run
	// and plan, those that your chats have called lately, and what the message asks
	// for.
	BuiltInRare BuiltInTools = "rare"
	// Those to read, search, edit, run and plan, and what the message asks for. The
	// prompt then names tools that the model has to load.
	BuiltInAll BuiltInTools = "all"
)

// EarlyCall is what happens to a call of a tool that is not attached.
type EarlyCall string

// The values of [EarlyCall].
const (
	// Run the tool, and attach it.
	EarlyCallAttach EarlyCall = "attach"
	// Attach the tool, and ask the model to call again with its schema at hand.
	EarlyCallRetry EarlyCall = "retry"
	// Refuse, and name the tool that finds others.
	EarlyCallRefuse EarlyCall = "refuse"
)

// ServerStart is when servers start.
type ServerStart string

// The values of [ServerStart].
const (
	// At once. A local server that is known to keep no state, or whose entry says
	// with whom it is shared, stops when nothing has used it for `winnow.servers.idleMinutes`, and starts again when it is called.
	StartAuto ServerStart = "auto"
	// At once, and they stay.
	StartEager ServerStart = "eager"
	// A server whose tools are known from an earlier run starts at its first
	// call, and stops as with `auto`.
	StartLazy ServerStart = "lazy"
)

// DefaultSettings returns the value of every setting that the user has not
// set. The numbers are those of Zoo Code's dynamic loading; TopK is Wayland
// Core's, and Named is what `go run ./router/eval` finds: whether all that is
// needed is attached or named depends on the sum of both, 90 of them .967 and 120
// .983 of the messages, and a name costs about a fifteenth of a schema.
// AppendAfterMinutes is the longest that a provider's cache is documented to
// last by a request's own wish; what it saves, TestReal/proxy measures.
func DefaultSettings() Settings {
	return Settings{
		Enabled:      true,
		SearchTurns:  7,
		Threshold:    50,
		InitialK:     30,
		Profile:      ProfileStandard,
		Named:        90,
		SearchK:      10,
		MaxTools:     128,
		Strategy:     StrategyWindow,
		TopK:         15,
		BuiltInTools: BuiltInKeep,
		Ranker:       RankerAuto,
		Embeddings:   EmbeddingsSettings{Provider: EmbeddingsBuiltin, TimeoutMs: 150},
		Learn:        LearnSettings{Loads: true, Folder: true},
		EarlyCall:    EarlyCallAttach,
		Gating:       GatingSettings{Servers: []string{}, TimeoutMs: 300, Claims: ClaimsAsk},
		Gateway:      GatewaySettings{Mode: GatewayAuto, ConfirmWrites: ConfirmDispatched, ConfirmWritesFor: map[string]ConfirmWrites{}},
		Proxy:        ProxySettings{AppendAfterMinutes: 60},
		Results:      ResultsSettings{MaxChars: 12000, MaxMediaChars: 5_000_000, MaskSecrets: true, References: true},
		Search:       SearchSettings{Results: 5},
		Servers:      ServersSettings{Start: StartAuto, IdleMinutes: 10},
		Lock:         LockWarn,
	}
}

// ProfileSettings returns the value of every setting that neither the user nor
// the workspace has set, under a profile. What [ProfileLean] and [ProfileSmall]
// change is what `go run ./router/eval` finds: the sum of both tiers decides
// whether what is needed is at hand, and a small model is served best by little.
func ProfileSettings(p Profile) Settings {
	s := DefaultSettings()
	s.Profile = p
	switch p {
	case ProfileLean:
		s.InitialK, s.Named = 15, 105
	case ProfileSmall:
		s.InitialK, s.Named, s.SearchK, s.Search.Results = 8, 30, 4, 3
	}
	return s
}

// Profiles returns every value of [Profile].
func Profiles() []Profile { return []Profile{ProfileStandard, ProfileLean, ProfileSmall} }

// Strategies returns every value of [Strategy].
func Strategies() []Strategy { return []Strategy{StrategyWindow, StrategyTopK, StrategyDispatch} }

// GatewayModes returns every value of [GatewayMode].
func GatewayModes() []GatewayMode {
	return []GatewayMode{GatewayAuto, GatewayDynamic, GatewayDispatch, GatewayAll}
}

// ConfirmWritesValues returns every value of [ConfirmWrites].
func ConfirmWritesValues() []ConfirmWrites {
	return []ConfirmWrites{ConfirmDispatched, ConfirmAlways, ConfirmNever}
}

// GatingClaimsValues returns every value of [GatingClaims].
func GatingClaimsValues() []GatingClaims { return []GatingClaims{ClaimsAsk, ClaimsAllow, ClaimsNever} }

// BuiltInToolsValues returns every value of [BuiltInTools].
func BuiltInToolsValues() []BuiltInTools { return []BuiltInTools{BuiltInKeep, BuiltInRare, BuiltInAll} }

// Rankers returns every value of [RankerKind].
func Rankers() []RankerKind {
	return []RankerKind{RankerAuto, RankerHybrid, RankerEmbeddings, RankerBM25, RankerKeyword}
}

// EarlyCalls returns every value of [EarlyCall].
func EarlyCalls() []EarlyCall { return []EarlyCall{EarlyCallAttach, EarlyCallRetry, EarlyCallRefuse} }

// ServerStarts returns every value of [ServerStart].
func ServerStarts() []ServerStart { return []ServerStart{StartAuto, StartEager, StartLazy} }

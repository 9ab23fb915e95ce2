package check

// Rule is a kind of finding.
type Rule struct {
	ID    string
	Level Level
	// Says describes the fault, and Known its source.
	Says, Known string
}

// Rules lists all kinds of findings. A source is a limit of a client or of a provider's
// API that users have met, MCP's specification, or a test by this program.
func Rules() []Rule {
	return []Rule{
		{"name-refused", Error, "A tool's name that providers refuse.", "OpenAI and Anthropic: letters, digits, _ and -, at most 64"},
		{"name-twice", Error, "Two tools have one name, or are cut or changed to one by clients.", "VS Code, Roo Code and Zoo Code cut at 64 characters and replace dots"},
		{"name-changed", Warning, "A tool's name that clients change or cut.", "MCP allows dots and slashes, providers do not; VS Code leaves 46 characters beside its prefix of 18; Gemini wants a letter or _ first"},
		{"name-alike", Warning, "Two names that differ only in case, or in - and _: models swap them.", "Winnow's record of misspelt calls"},
		{"too-many", Warning, "More tools than a client sends in one request.", "VS Code's Copilot models and OpenAI: 128"},
		{"over-budget", Error, "All tools together cost more than the given budget.", "-budget"},
		{"schema-root", Error, "A schema that is not that of an object.", "MCP's SDK for TypeScript refuses the whole list where a schema has no \"type\": \"object\""},
		{"schema-union", Error, "anyOf, oneOf or allOf at the root of a schema.", "Anthropic refuses the request: input_schema does not support oneOf, allOf, or anyOf at the top level"},
		{"schema-key", Error, "A parameter's name that Anthropic refuses.", "Anthropic: property keys match ^[a-zA-Z0-9_.-]{1,64}$"},
		{"schema-items", Error, "A list without items.", "OpenAI: array schema missing items; VS Code leaves the tool out"},
		{"schema-invalid", Error, "Not JSON Schema 2020-12.", "Anthropic: input_schema must match JSON Schema draft 2020-12"},
		{"schema-ref", Error, "A reference to what is not in the schema.", "JSON Schema; no client loads others"},
		{"schema-required", Warning, "A required parameter that there is not.", "Gemini: required fields have to be defined"},
		{"schema-gemini", Note, "What Gemini's function declarations do not know, so that clients have to translate it.", "Gemini: enum for strings only, one type, no $ref"},
		{"hidden-text", Error, "Characters that nobody sees.", "Winnow takes them out; other clients may refuse the tool"},
		{"speaks-to-model", Warning, "A sentence that reads like an order to the model, beyond what the tool does.", "daemon/trust/scan, with which clients like Winnow hold tools back"},
		{"annotations", Warning, "Annotations that contradict each other or the name.", "MCP: readOnlyHint and destructiveHint"},
		{"no-annotations", Note, "No readOnlyHint, so that clients ask before each call, or refuse it.", "codex exec refuses, VS Code and Claude Code ask"},
		{"no-description", Warning, "A tool without a description.", "VS Code writes <empty>"},
		{"description-cut", Warning, "A description that Claude Code cuts.", "Claude Code 2.1.84 and newer: 2,048 characters"},
		{"description-long", Note, "A description that some models of OpenAI refuse.", "OpenAI chat completions, Azure OpenAI: 1,024 characters for some models"},
		{"instructions-cut", Warning, "Instructions that Claude Code cuts.", "Claude Code 2.1.84 and newer: 2,048 characters"},
		{"no-parameter-text", Note, "Parameters about which nothing is said.", "The description of the tool does not name them either"},
		{"same-text", Warning, "Two tools with one description.", "No model can choose by it"},
		{"says-little", Warning, "A tool that its own first sentence does not find.", "Ranked by Winnow"},
		{"mistaken", Warning, "Another tool of the server comes first for the messages of this one.", "Ranked by Winnow"},
		{"not-found", Warning, "A tool that is not among the first ten for the messages that need it.", "Ranked by Winnow among a thousand tools of others"},
		{"unknown-tool", Warning, "A message that needs a tool that there is not.", "The file of messages"},
		{"spare", Note, "Tokens that no model needs.", "Tried: the ranks are the same without them"},
		{"repeated", Note, "One parameter that is described alike in many tools.", "Counted"},
		{"server-warning", Warning, "What was tolerated when the server was asked for its tools.", "daemon/upstream"},
		{"gone", Warning, "A tool that the last release had.", "-baseline"},
		{"stricter", Warning, "A parameter that has gone, or is required now.", "-baseline"},
		{"dearer", Note, "Tokens more than at the last release.", "-baseline: a tenth and more"},
		{"worse-found", Warning, "A tool that is found less often than at the last release.", "-baseline"},
	}
}

// levelOf returns the level of a rule.
func levelOf(id string) Level {
	for _, r := range Rules() {
		if r.ID == id {
			return r.Level
		}
	}
	panic("check: no rule " + id)
}

package scan

import (
	"regexp"
	"sync"
)

// rule finds a way to speak to the model.
type rule struct {
	says *regexp.Regexp
	// unless excuses a sentence; nil excuses none.
	unless *regexp.Regexp
}

// Words that rules share.
const (
	person     = `(?:users?|person|human|anyone|operator|customer)`
	tells      = `(?:tell|mention|inform|reveal|notify|disclose|alert|show)`
	givesWords = `include|attach|send|forward|upload|paste|pass|put|append|prepend|post|copy|add`
	gives      = `(?:` + givesWords + `)`
	// secrets are places and things that no tool's text has to name to the model.
	secrets = `(?:~/\.\w|id_rsa|/etc/passwd|/etc/shadow|\.ssh/|\.aws/|\.env\b|mcp\.json|credentials?\b|api[_ -]?keys?\b|environment variables)`
	talk    = `(?:(?:conversation|chat|message) (?:history|context|list|log)|(?:full|entire|whole|complete|previous) (?:conversation|chat)|chat history|users? messages|system prompt)`
)

// rules are compiled at their first use.
var rules = sync.OnceValue(func() []rule {
	make := func(says, unless string) rule {
		r := rule{says: regexp.MustCompile(`(?i)` + says)}
		if unless != "" {
			r.unless = regexp.MustCompile(`(?i)` + unless)
		}
		return r
	}
	return []rule{
		// Keeps something from the user.
		make(`\b(?:do not|don't|never|must not|without)\b.{0,25}\b`+tells+`(?:ing)?\b.{0,40}\b`+person+`\b`,
			`\b`+tells+`(?:ing)? (?:the |a )?`+person+` (?:to|how|they|which|what)\b|\bto mention\b|\b(?:ask|confirm|results?|raw|ids?|secrets?|passwords?|tokens?|errors?)\b`),
		make(`\b(?:do not|don't|never) (?:mention|reveal|disclose)\b.{0,12}\b(?:that you|this|it)\b`, `\b(?:secret|password|token)s?\b`),
		make(`\bwithout (?:the |any )?`+person+`(?:'s)? (?:knowing|noticing|knowledge|being (?:told|aware))\b`, ""),
		make(`\b`+person+`(?: \w+)? (?:need not|must not|should not|shouldn't|does not need to) (?:know|see|notice|be told|find out)\b`, ""),
		make(`\b(?:silently|quietly|secretly|covertly)\b.{0,20}\b(?:read|`+givesWords+`|call|run|execute)\b`, ""),
		// Sets other instructions aside.
		make(`\b(?:ignore|disregard|forget|override)\b.{0,12}\b(?:previous|prior|above|earlier|preceding|safety|system)\b.{0,20}\b(?:instructions?|rules?|prompts?|guidelines?|directions?)\b`, ""),
		make(`\byou are now (?:an?|in)\b.{0,30}\b(?:assistant|mode|admin|unrestricted)\b`, ""),
		// Stands between marks that only a model heeds.
		make(`<\s*/?\s*(?:important|system|hidden|admin)\s*>`, ""),
		make(`(?:^|[.!?] )(?:important )?system(?: note| instruction| message)?: `, ""),
		// Says what to do before or with other tools.
		make(`\bbefore (?:using|calling|invoking|running|executing|performing) (?:any|all|every)(?: of the)? (?:other )?(?:tools?|functions?|file operations?)\b`,
			`\b(?:call|use|run|invoke|required|needed)\b(?: this)?(?: tool| function)?(?: first)? before\b`),
		make(`\bbefore (?:using|calling|returning|responding|answering|sending|reporting)\b.{0,60}\b(?:read|upload|forward|include|copy)\b`, `\bread (?:the )?(?:docs|documentation|schema|guide|resource|instructions|skill|description|it\b)`),
		make(`\bwhen(?:ever)?\b.{0,40}\b(?:is|are) (?:used|called|invoked)\b.{0,20}\b(?:change|replace|redirect|include) the\b`, ""),
		make(`\botherwise (?:the|this) (?:tool|function) (?:will|would|does|can) ?not work\b`, ""),
		make(`\b(?:any|every|each) (?:user )?(?:request|question|query|message)\b.{0,30}\balways (?:call|use|run|invoke) this\b`, ""),
		make(`\bif the `+person+` asks anything\b`, ""),
		// Fetches secrets and conversations.
		make(`\b(?:read|open|`+givesWords+`)\b.{0,50}`+secrets+`.{0,60}\b(?:and|then|here|as|into|in)\b.{0,20}\b(?:`+givesWords+`|here|(?:the )?\w+ (?:field|parameter|argument|response)|every response)\b`,
			`\b(?:returns?|lists?|stores?|manages?|requires?|set|optional|default|obtain)\b`),
		make(`\b(?:also|first|must|please|always)\b.{0,25}\b(?:read|open|`+givesWords+`)\b.{0,50}`+secrets, `\b(?:returns?|requires?|optional|default|set|obtain)\b`),
		make(`\b(?:also|first|must|please|always|before|after|silently)\b.{0,40}\b`+gives+`\b.{0,40}`+talk, `\b(?:returns?|optional)\b`),
		make(`\bcall\b.{0,20}\bwith the `+talk, ""),
		make(`\bexfiltrat`, `\b(?:detect|prevent|scan|block|check|risk|protect|attack)`),
		make(`\b(?:also|always|then|before|after|onward|copied|uploaded)\b.{0,50}\b(?:contents?|location|messages?|credentials|history|data)\b.{0,40}\bto https?://`, `\b(?:example of|e\.g\.|such as)\b`),
	}
})

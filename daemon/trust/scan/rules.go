package scan

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// rule matches sentences, in lower case, that address the model.
type rule struct {
	// needs are groups of literals. A sentence must contain one of each group; that check
	// excludes most sentences faster than the expression.
	needs [][]string
	says  *regexp.Regexp
	// unless excludes a sentence; nil excludes none.
	unless *regexp.Regexp
}

// Words shared by rules.
const (
	person     = `(?:users?|person|human|anyone|operator|customer)`
	tells      = `(?:tell|mention|inform|reveal|notify|disclose|alert|show)`
	givesWords = `include|attach|send|forward|upload|paste|pass|put|append|prepend|post|copy|add`
	gives      = `(?:` + givesWords + `)`
	// secrets match names of secrets, which no description has to mention to the model.
	secrets = `(?:~/\.\w|id_rsa|/etc/passwd|/etc/shadow|\.ssh/|\.aws/|\.env\b|mcp\.json|credentials?\b|api[_ -]?keys?\b|environment variables)`
	// secretWords are literals, one of which is in each match of secrets.
	secretWords = "~/|id_rsa|/etc/|.ssh|.aws|.env|mcp.json|credential|api|environment"
	talk        = `(?:(?:conversation|chat|message) (?:history|context|list|log)|(?:full|entire|whole|complete|previous) (?:conversation|chat)|chat history|users? messages|system prompt)`
)

// rules returns all rules, compiled at first use.
var rules = sync.OnceValue(func() []rule {
	make := func(needs, says, unless string) rule {
		r := rule{says: regexp.MustCompile(says)}
		for group := range strings.SplitSeq(needs, " & ") {
			r.needs = append(r.needs, strings.Split(group, "|"))
		}
		if unless != "" {
			r.unless = regexp.MustCompile(unless)
		}
		return r
	}
	return []rule{
		// Hides something from the user.
		make("tell|mention|inform|reveal|notif|disclos|alert|show & not|n't|never|without", `\b(?:do not|don't|never|must not|without)\b.{0,25}\b`+tells+`(?:ing)?\b.{0,40}\b`+person+`\b`,
			`\b`+tells+`(?:ing)? (?:the |a )?`+person+` (?:to|how|they|which|what)\b|\bto mention\b|\b(?:ask|confirm|results?|raw|ids?|secrets?|passwords?|tokens?|errors?)\b`),
		make("mention|reveal|disclos & not|n't|never", `\b(?:do not|don't|never) (?:mention|reveal|disclose)\b.{0,12}\b(?:that you|this|it)\b`, `\b(?:secret|password|token)s?\b`),
		make("without & know|notic|told|aware", `\bwithout (?:the |any )?`+person+`(?:'s)? (?:knowing|noticing|knowledge|being (?:told|aware))\b`, ""),
		make("need not|must not|should not|shouldn't|does not need", `\b`+person+`(?: \w+)? (?:need not|must not|should not|shouldn't|does not need to) (?:know|see|notice|be told|find out)\b`, ""),
		make("silently|quietly|secretly|covertly", `\b(?:silently|quietly|secretly|covertly)\b.{0,20}\b(?:read|`+givesWords+`|call|run|execute)\b`, ""),
		// Overrides other instructions.
		make("ignore|disregard|forget|override & instruction|rule|prompt|guideline|direction", `\b(?:ignore|disregard|forget|override)\b.{0,12}\b(?:previous|prior|above|earlier|preceding|safety|system)\b.{0,20}\b(?:instructions?|rules?|prompts?|guidelines?|directions?)\b`, ""),
		make("you are now", `\byou are now (?:an?|in)\b.{0,30}\b(?:assistant|mode|admin|unrestricted)\b`, ""),
		// Is inside tags meant for a model.
		make("<", `<\s*/?\s*(?:important|system|hidden|admin)\s*>`, ""),
		make("system", `(?:^|[.!?] )(?:important )?system(?: note| instruction| message)?: `, ""),
		// Says what to do before or with other tools.
		make("before & tool|function|operation", `\bbefore (?:using|calling|invoking|running|executing|performing) (?:any|all|every)(?: of the)? (?:other )?(?:tools?|functions?|file operations?)\b`,
			`\b(?:call|use|run|invoke|required|needed)\b(?: this)?(?: tool| function)?(?: first)? before\b`),
		make("before & read|upload|forward|include|copy", `\bbefore (?:using|calling|returning|responding|answering|sending|reporting)\b.{0,60}\b(?:read|upload|forward|include|copy)\b`, `\bread (?:the )?(?:docs|documentation|schema|guide|resource|instructions|skill|description|it\b)`),
		make("when & change the|replace the|redirect the|include the", `\bwhen(?:ever)?\b.{0,40}\b(?:is|are) (?:used|called|invoked)\b.{0,20}\b(?:change|replace|redirect|include) the\b`, ""),
		make("otherwise", `\botherwise (?:the|this) (?:tool|function) (?:will|would|does|can) ?not work\b`, ""),
		make("always & this", `\b(?:any|every|each) (?:user )?(?:request|question|query|message)\b.{0,30}\balways (?:call|use|run|invoke) this\b`, ""),
		make("anything", `\bif the `+person+` asks anything\b`, ""),
		// Collects secrets and conversations.
		make(secretWords, `\b(?:read|open|`+givesWords+`)\b.{0,50}`+secrets+`.{0,60}\b(?:and|then|here|as|into|in)\b.{0,20}\b(?:`+givesWords+`|here|(?:the )?\w+ (?:field|parameter|argument|response)|every response)\b`,
			`\b(?:returns?|lists?|stores?|manages?|requires?|set|optional|default|obtain)\b`),
		make(secretWords, `\b(?:also|first|must|please|always)\b.{0,25}\b(?:read|open|`+givesWords+`)\b.{0,50}`+secrets, `\b(?:returns?|requires?|optional|default|set|obtain)\b`),
		make("conversation|chat|message|prompt", `\b(?:also|first|must|please|always|before|after|silently)\b.{0,40}\b`+gives+`\b.{0,40}`+talk, `\b(?:returns?|optional)\b`),
		make("call & conversation|chat|message|prompt", `\bcall\b.{0,20}\bwith the `+talk, ""),
		make("exfiltrat", `\bexfiltrat`, `\b(?:detect|prevent|scan|block|check|risk|protect|attack)`),
		make("http", `\b(?:also|always|then|before|after|onward|copied|uploaded)\b.{0,50}\b(?:contents?|location|messages?|credentials|history|data)\b.{0,40}\bto https?://`, `\b(?:example of|e\.g\.|such as)\b`),
	}
})

// matches reports whether a rule matches a sentence in lower case.
func (r *rule) matches(lower string) bool {
	for _, group := range r.needs {
		if !slices.ContainsFunc(group, func(word string) bool { return strings.Contains(lower, word) }) {
			return false
		}
	}
	return r.says.MatchString(lower) && (r.unless == nil || !r.unless.MatchString(lower))
}

package protocol

// Rule says how a key counts that several files may have: who may set it, and
// who wins. The code that merges files goes by it, and the table in
// `extension/docs/files.md` is made of it.
//
// Of the files, the user's own is `winnow.json` in the configuration folder.
// Each other one is a workspace's or another client's: before trust, and before
// the user's consent where the kind or the file needs that, nothing in it counts.
type Rule string

// The values of [Rule].
const (
	// Of the one entry that defines the server: the first that applies, the
	// workspace's before the user's. Any file may, after trust and consent to what
	// starts.
	RuleStart Rule = "start"
	// Any file that counts may take away; the strictest wins. What your own file
	// takes away, or a file of yours in another client, no workspace gives back.
	// Your own file may overrule what another client's file of yours says.
	RuleLimit Rule = "limit"
	// Your own file may; another one after you have agreed to what it says, and it
	// then wins over yours, which may only be narrowed without a question.
	RuleGrant Rule = "grant"
	// Any file that counts may; the workspace's wins over yours.
	RulePreference Rule = "preference"
	// Each file for the servers in it; of others the first counts, a workspace's
	// not for servers of your own files.
	RuleOwn Rule = "own"
	// Your own file may; a workspace's address is served after you have agreed to
	// it by `-consent`.
	RuleAddress Rule = "address"
	// Any file that counts may; each setting by its own row below.
	RuleSettings Rule = "settings"
)

// Rules returns the rule of each key of a [WinnowFile], by path: of `servers`
// and `modes` the keys of an entry stand after a dot. Roo's `groups` is a key of
// a mode too.
func Rules() map[string]Rule {
	return map[string]Rule{
		"$schema":                          RulePreference,
		"servers.type":                     RuleStart,
		"servers.command":                  RuleStart,
		"servers.args":                     RuleStart,
		"servers.cwd":                      RuleStart,
		"servers.env":                      RuleStart,
		"servers.envFile":                  RuleStart,
		"servers.url":                      RuleStart,
		"servers.headers":                  RuleStart,
		"servers.oauth":                    RuleStart,
		"servers.sandbox":                  RuleStart,
		"servers.share":                    RuleStart,
		"servers.disabled":                 RuleLimit,
		"servers.timeout":                  RuleLimit,
		"servers.onlyAllow":                RuleLimit,
		"servers.disabledTools":            RuleLimit,
		"servers.toolDescriptionOverrides": RuleGrant,
		"servers.alwaysLoad":               RuleGrant,
		"servers.deferred":                 RuleGrant,
		"servers.deferTools":               RuleGrant,
		"servers.alwaysAllow":              RuleGrant,
		"modes.name":                       RulePreference,
		"modes.description":                RulePreference,
		"modes.allowedMcpServers":          RuleLimit,
		"modes.blockedMcpServers":          RuleLimit,
		"modes.groups":                     RuleLimit,
		"inputs":                           RuleOwn,
		"endpoints":                        RuleAddress,
		"settings":                         RuleSettings,
	}
}

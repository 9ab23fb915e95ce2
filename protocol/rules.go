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
	// RuleStart is of what a server starts as: that of the one entry that defines it.
	RuleStart Rule = "start"
	// RuleLimit takes away: each file that counts may, and none gives back what
	// the user's own, or one of the user's in another client, has taken away.
	RuleLimit Rule = "limit"
	// RuleGrant lets something run unasked, or puts a text before a model: another
	// file's counts once the user has agreed to what it says.
	RuleGrant Rule = "grant"
	// RulePreference loosens nothing: the project's wins over the user's.
	RulePreference Rule = "preference"
	// RuleOwn counts for what stands in the same file, and for what no file of the
	// user's says.
	RuleOwn Rule = "own"
	// RuleAddress counts once the user has agreed to the very address.
	RuleAddress Rule = "address"
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
	}
}

// What kept a tool out, and where that can be changed. The daemon names a rule
// in words; this reads the name back to the place that the words mean.

/** Where a rule is written. */
export type RulePlace =
  /** `disabled` in a server's entry. */
  | { kind: "server"; server: string; key: string }
  /** `onlyAllow` or `disabledTools` in a server's entry. */
  | { kind: "tool"; server: string; key: string }
  /** A mode's list of servers. */
  | { kind: "mode"; mode: string; key: string }
  /** A setting of VS Code, with `winnow.`. */
  | { kind: "setting"; setting: string };

/** Reads a rule as the daemon tells it; undefined for one that is written nowhere. */
export function rulePlace(rule: string): RulePlace | undefined {
  const entry = /^(\w+) of (server|mode) (".*")$/.exec(rule);
  if (entry !== null) {
    const [, key = "", owner, quoted = '""'] = entry;
    const name = unquote(quoted);
    if (owner === "mode") return { kind: "mode", mode: name, key };
    return { kind: key === "disabled" ? "server" : "tool", server: name, key };
  }
  const setting = /winnow\.[A-Za-z]+(?:\.[A-Za-z]+)*/.exec(rule);
  return setting === null ? undefined : { kind: "setting", setting: setting[0] };
}

/** The daemon quotes names as Go does, which is JSON but for rare escapes. */
function unquote(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

/** Names the place for a button or a link. */
export function placeLabel(place: RulePlace): string {
  switch (place.kind) {
    case "setting":
      return `Open the setting ${place.setting}`;
    case "mode":
      return `Open ${place.key} of mode ${place.mode}`;
    default:
      return `Open ${place.key} of server ${place.server}`;
  }
}

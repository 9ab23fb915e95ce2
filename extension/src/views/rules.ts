// Where what keeps a tool out can be changed.

import { causeTexts, type Cause } from "../protocol.gen";

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

/** Finds where a cause is written; undefined for one that is written nowhere. */
export function rulePlace(cause: Cause | undefined): RulePlace | undefined {
  const { kind, owner = "", key = "" } = cause ?? {};
  switch (kind) {
    case "server":
      return { kind: key === "disabled" ? "server" : "tool", server: owner, key };
    case "mode":
      return { kind: "mode", mode: owner, key };
    case "dispatch":
    case "limit":
    case "budget":
    case "named":
    case "frozen":
    case "rank":
      return { kind: "setting", setting: key };
    default:
      return undefined;
  }
}

/** Words a cause as the daemon does; empty for none. */
export function causeText(cause: Cause | undefined): string {
  if (cause === undefined) return "";
  return causeTexts[cause.kind].replace(
    /\{(owner|key|text)\}/g,
    (_, member: "owner" | "key" | "text") => cause[member] ?? "",
  );
}

/** Whether a rule of the user's keeps a tool out, and not its rank. */
export function isOff(cause: Cause | undefined): boolean {
  return cause?.kind === "server" || cause?.kind === "mode" || cause?.kind === "task";
}

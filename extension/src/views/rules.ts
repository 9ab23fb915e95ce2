// What kept a tool out, and where that can be changed.

import type { Exclusion } from "../protocol.gen";

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

/** The place that decides; undefined for what is written nowhere. */
export function rulePlace(exclusion: Exclusion | undefined): RulePlace | undefined {
  const { kind, owner = "", key = "" } = exclusion ?? {};
  switch (kind) {
    case "server":
    case "tool":
      return { kind, server: owner, key };
    case "mode":
      return { kind, mode: owner, key };
    case "strategy":
    case "limit":
    case "window":
    case "rank":
      return { kind: "setting", setting: key };
    default:
      return undefined;
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

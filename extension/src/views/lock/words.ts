// What is said of the lock on tools. Pure.

import type { Finding, LockChange, LockHighlight, ToolInfo } from "../../protocol.gen";
import { count } from "../format";

/** The note on a tool's row; undefined where there is nothing to say. */
export function lockNote({ lock, cause }: ToolInfo): string | undefined {
  switch (lock) {
    case "changed":
      return cause?.kind === "changed" ? "changed, held back" : "changed, models read the locked words";
    case "unlisted":
      return "not approved";
    case "damaged":
      return "its lock is damaged";
    default:
      return undefined;
  }
}

/** What matters in a change, the weightiest first. */
export function highlightText({ kind, name = "", text = "" }: LockHighlight): string {
  switch (kind) {
    case "required":
      return `the parameter ${name} has to be given now`;
    case "addresses":
      return `it speaks to the model: “${text}”`;
    case "milder":
      return `it claims less harm: ${name}`;
    case "added":
      return `the parameter ${name} is new`;
    case "removed":
      return `the parameter ${name} is gone`;
    case "retyped":
      return `the parameter ${name} is another one`;
  }
}

/** What kind of thing a change is of, and its name. */
export function changeLabel({ kind, name }: LockChange): string {
  return kind === "instructions" ? "What the server tells models" : (name ?? "");
}

/** A change on one line: what becomes of it, and what matters in it. */
export function changeText(change: LockChange): string {
  const { held, kept, state, parts = [], highlights = [] } = change;
  const fate =
    state === "unlisted"
      ? "not approved"
      : held === true
        ? "held back"
        : change.kind === "tool"
          ? "models read the locked words"
          : "models get what is locked";
  const shown = highlights.slice(0, maxHighlights).map(highlightText);
  const rest = highlights.length - shown.length;
  const matters = shown.length > 0 ? shown : parts.map((part) => partWords[part]);
  if (rest > 0) matters.push(`${rest} more`);
  return [...(kept === true ? ["kept"] : []), fate, ...matters].join(" · ");
}

/** A line has room for the weightiest. */
const maxHighlights = 3;

const partWords = {
  texts: "other words",
  inputSchema: "other parameters",
  outputSchema: "another form of result",
  annotations: "other claims of what it does",
};

/** How many changes wait, for a server's row; undefined for none. */
export function changesNote(changes: number | undefined): string | undefined {
  return changes === undefined || changes === 0 ? undefined : `${count(changes, "change")} to review`;
}

/** What somebody should look at, without a promise. */
export function findingText({ kind, text, where = "", other = "" }: Finding): string {
  const place = where === "" || where === "description" ? "" : ` (${where})`;
  switch (kind) {
    case "addresses":
      return `speaks to the model${place}: “${text}”`;
    case "otherTool":
      return `speaks of ${other}, a tool of another server${place}: “${text}”`;
    case "hidden":
      return `holds characters that nobody sees${place}: “${text}”`;
    case "lookalikeTool":
      return `is named like ${other}, a tool of another server`;
    case "lookalikeServer":
      return `its server is named like ${other}`;
    case "readOnlyName":
      return `claims that it only reads, and is named ${text}`;
  }
}

// What is said of the lock on tools. Pure.

import type {
  Finding,
  LockChange,
  LockDecideParams,
  LockDecideResult,
  LockHighlight,
  ToolInfo,
} from "../../protocol.gen";
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

/** Names a change: another content of the same thing is another change. */
export function changeId({ source = "", server, kind, name = "", content }: LockChange): string {
  return JSON.stringify([hostOf(source), server, kind, name, content]);
}

/** The host that a list of tools is of: what stands before the last colon of its name. */
export function hostOf(source: string): string {
  return source.replace(/:[^:]*$/, "");
}

/** What servers changed, for a message. */
export function changedText(changes: readonly LockChange[]): string {
  const servers = [...new Set(changes.map(({ server }) => server))];
  const labels = changes.map((change) => (change.kind === "instructions" ? "its instructions" : (change.name ?? "")));
  const named = labels.slice(0, maxNamed);
  if (labels.length > named.length) named.push(`${labels.length - named.length} more`);
  const verb = servers.length === 1 ? "changed what it offers" : "changed what they offer";
  return `${list(servers)} ${verb}: ${list(named)}. Models do not see the change before you have.`;
}

/** A message has room for so many names. */
const maxNamed = 3;

function list(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** What an answer did. */
export function answerText(approved: boolean, params: LockDecideParams, result: LockDecideResult): string {
  const { server, kind, name = "" } = params;
  const plural = kind === "instructions";
  const what = plural ? `the instructions of ${server}` : kind === undefined ? server : `${name} of ${server}`;
  if (!approved) return `What is locked of ${what} stays. Models do not get the change.`;
  if (result.count === 0) return `${what} ${plural ? "were" : "was"} approved already.`;
  const text = `${what} ${plural ? "are approved as they are now" : "is approved as it is now"}`;
  return kind === undefined ? `${text}: ${list(changedKinds(result))}.` : `${text}.`;
}

function changedKinds({ tools = 0, prompts = 0, instructions }: LockDecideResult): string[] {
  return [
    ...(tools > 0 ? [count(tools, "tool")] : []),
    ...(prompts > 0 ? [count(prompts, "prompt")] : []),
    ...(instructions === true ? ["its instructions"] : []),
  ];
}

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

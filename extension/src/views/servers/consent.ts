// What the user is asked before a server starts. Pure; consentprompt.ts asks.

import type { ConsentQuestion } from "../../protocol.gen";

/** Identifies what is asked, so that it is asked once: another start of the server is another question. */
export function questionId({ file, server, hash }: ConsentQuestion): string {
  return JSON.stringify([file, server, hash]);
}

/**
 * Lists what to ask, each element in one question: servers that are new together, one that has changed on its own.
 *
 * @param asked the ids of what the user was asked before
 */
export function toAsk(questions: readonly ConsentQuestion[], asked: readonly string[]): ConsentQuestion[][] {
  const open = questions.filter((q) => q.declined !== true && !asked.includes(questionId(q)));
  const found = open.filter((q) => q.changed !== true && q.ownFile !== true);
  const added = open.filter((q) => q.changed !== true && q.ownFile === true);
  const changed = open.filter((q) => q.changed === true);
  return [found, added, ...changed.map((q) => [q])].filter((group) => group.length > 0);
}

/** The question about a group of {@link toAsk}. */
export function questionText(group: readonly ConsentQuestion[], shorten: (file: string) => string): string {
  const [first] = group;
  if (first === undefined) return "";
  if (first.changed === true)
    return `${changedText(first, shorten)}${insteadText(group)} May Winnow run it as it is now?`;
  const servers = group.length === 1 ? "an MCP server" : `${group.length} MCP servers`;
  const names = listOf(group.map(({ server }) => server));
  const files = listOf([...new Set(group.map(({ file }) => shorten(file)))]);
  const found =
    first.ownFile === true
      ? `Since you trusted this workspace, ${servers} (${names}) came into ${files}.`
      : `Winnow found ${servers} (${names}) in ${files}, which another client may run too.`;
  const starts = group.length === 1 ? ` It starts: ${bounded(first.starts)}.` : "";
  const before = group.some(({ allowedByFile }) => allowedByFile === true)
    ? " You have allowed this file before; Winnow now asks about each server, and again when one changes."
    : "";
  return `${found}${starts}${insteadText(group)}${before} May Winnow run ${group.length === 1 ? "it" : "them"}?`;
}

/** Says what has changed, the first of several things in full. */
function changedText({ server, file, changes = [] }: ConsentQuestion, shorten: (file: string) => string): string {
  const [first] = changes;
  const more = changes.length > 1 ? `, and ${changes.length - 1} more` : "";
  const what = first === undefined ? "" : `: ${first.key} ${changeText(first.before, first.after)}${more}`;
  return `The MCP server ${server} in ${shorten(file)} is not what you allowed${what}.`;
}

function changeText(before: string, after: string): string {
  if (before === after) return "has another value";
  if (before === "") return `is new, ${bounded(after)}`;
  if (after === "") return `is gone, it was ${bounded(before)}`;
  return `is ${bounded(after)}, it was ${bounded(before)}`;
}

function insteadText(group: readonly ConsentQuestion[]): string {
  const names = group.filter(({ instead }) => instead === true).map(({ server }) => server);
  return names.length === 0 ? "" : ` It would run instead of your other server of that name (${listOf(names)}).`;
}

/** What would start, and what was allowed before, as texts to compare. */
export function compared({ parts, changes = [] }: ConsentQuestion): { before: string; after: string } {
  const lines = (list: readonly (readonly [string, string])[]) =>
    list.map(([key, text]) => `${key}: ${text}\n`).join("");
  const now = parts.map(({ key, text }) => [key, text] as const);
  const was = new Map<string, string>(now);
  for (const { key, before, after } of changes) {
    if (before === "") was.delete(key);
    // What is hidden, or only told by its size, reads the same.
    else was.set(key, before === after ? `${before} (another value)` : before);
  }
  return { before: lines([...was]), after: lines(now) };
}

/** Cuts what is too long for a message. */
function bounded(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}

/** Names a few, and counts the rest. */
function listOf(names: readonly string[]): string {
  const shown = names.length <= 4 ? names : names.slice(0, 3);
  const rest = names.length - shown.length;
  const last = rest > 0 ? `${rest} more` : shown.at(-1);
  const first = rest > 0 ? shown : shown.slice(0, -1);
  return first.length === 0 ? (last ?? "") : `${first.join(", ")} and ${last ?? ""}`;
}

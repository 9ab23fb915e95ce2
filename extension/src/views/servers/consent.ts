// Which files of other clients to ask about. Pure; consentprompt.ts asks.

import type { ServerInfo } from "../../protocol.gen";

/** A file of another client whose servers wait for the user. */
export interface WaitingFile {
  file: string;
  servers: string[];
}

/**
 * Lists the files to ask about.
 *
 * @param asked the files that the user was asked about before
 */
export function filesToAsk(servers: readonly ServerInfo[], asked: readonly string[]): WaitingFile[] {
  const files = new Map<string, string[]>();
  for (const { file, name, state } of servers) {
    if (state !== "waitingForConsent" || file === undefined || asked.includes(file)) continue;
    files.set(file, [...(files.get(file) ?? []), name]);
  }
  return [...files].map(([file, names]) => ({ file, servers: names }));
}

/** The question about one file, or about several at once. */
export function question(files: readonly WaitingFile[], shorten: (file: string) => string): string {
  const count = files.reduce((sum, { servers }) => sum + servers.length, 0);
  const servers = count === 1 ? "an MCP server" : `${count} MCP servers`;
  const names = listOf(files.flatMap((file) => file.servers));
  const where = listOf(files.map(({ file }) => shorten(file)));
  return `Winnow found ${servers} (${names}) in ${where}, which another client may run too. May Winnow run ${count === 1 ? "it" : "them"}?`;
}

/** Names a few, and counts the rest. */
function listOf(names: readonly string[]): string {
  const shown = names.length <= 4 ? names : names.slice(0, 3);
  const rest = names.length - shown.length;
  const last = rest > 0 ? `${rest} more` : shown.at(-1);
  const first = rest > 0 ? shown : shown.slice(0, -1);
  return first.length === 0 ? (last ?? "") : `${first.join(", ")} and ${last ?? ""}`;
}

// Sorts the tools of a request, and makes of MCP's the list that the daemon
// routes.

import { createHash } from "node:crypto";
import { type HostTool, PROTOCOL_PROXY_TOOL } from "../protocol/protocol.gen";
import { type Message, type Tool, callsOf, resultsOf, textOf } from "./message";
import type { Listing } from "./servers";

/** The tool that we contribute, by which a model reaches tools that the host did not list. */
export const proxyTool = PROTOCOL_PROXY_TOOL;

/** Begins the names of the tools behind which VS Code's agent hides groups of others. */
const groupPrefix = "activate_";

/** What a group answers when it is called, before the names. */
const activated = "Tools activated:";

/** The tools of a request. */
export interface SortedTools {
  /** The host's own, which pass through as they are. */
  native: Tool[];
  mcp: Tool[];
  /** Each stands for tools that are hidden. */
  groups: Tool[];
  /** Whether the host offers winnow_call. */
  proxy: boolean;
}

/** Sorts the tools that a host offers. */
export function sortTools(tools: readonly Tool[], listing: Listing): SortedTools {
  const sorted: SortedTools = { native: [], mcp: [], groups: [], proxy: false };
  const proxied = tools.some(({ name }) => name === proxyTool);
  for (const tool of tools) {
    if (tool.name === proxyTool) sorted.proxy = true;
    // What the gateway offers is there without it, and twice would be once too often.
    else if (proxied && listing.isGateway(tool.name)) continue;
    else if (tool.name.startsWith(groupPrefix)) sorted.groups.push(tool);
    else (listing.isMcp(tool.name) ? sorted.mcp : sorted.native).push(tool);
  }
  return sorted;
}

/** Tells whether a call is one of a group. */
export function isGroup(name: string): boolean {
  return name.startsWith(groupPrefix);
}

/**
 * What the groups stand for that were activated since the user's last words, by
 * their names. What they stood for before is not to be relied on: between two
 * messages the user may have switched tools off, and nothing else tells.
 */
export function revealedBy(messages: readonly Message[]): Map<string, string[]> {
  const asked = new Map<string, string>();
  const revealed = new Map<string, string[]>();
  for (const { parts } of sinceWords(messages)) {
    for (const call of callsOf(parts)) if (isGroup(call.name)) asked.set(call.callId, call.name);
    for (const result of resultsOf(parts)) {
      const group = asked.get(result.callId);
      if (group !== undefined) revealed.set(group, namesIn(textOf(result.content)));
    }
  }
  return revealed;
}

function namesIn(text: string): string[] {
  const start = text.indexOf(activated);
  if (start < 0) return [];
  return text
    .slice(start + activated.length)
    .split(",")
    .map((name) => name.trim())
    .filter((name) => /^\S+$/.test(name));
}

/** Counts the requests for groups since the user's last words. */
export function revealRounds(messages: readonly Message[]): number {
  return sinceWords(messages).filter(({ parts }) => callsOf(parts).some((call) => isGroup(call.name))).length;
}

/** The place of the user's last words; -1 where there are none. Should a host add a message without a text, it begins nothing. */
export function lastWords(messages: readonly Message[]): number {
  return messages.findLastIndex(
    ({ role, parts }) => role === "user" && resultsOf(parts).length === 0 && textOf(parts) !== "",
  );
}

function sinceWords(messages: readonly Message[]): readonly Message[] {
  return messages.slice(lastWords(messages) + 1);
}

/**
 * The tools that the groups of a request hide, as the host lists them. A group
 * that is not offered any more hides nothing: it is open, or the user switched
 * its tools off.
 */
export function hiddenTools(
  sorted: SortedTools,
  revealed: ReadonlyMap<string, readonly string[]>,
  listing: Listing,
): Tool[] {
  const seen = new Set(sorted.mcp.map((tool) => tool.name));
  const hidden: Tool[] = [];
  const visit = (group: string, from: ReadonlySet<string>): void => {
    for (const name of revealed.get(group) ?? []) {
      if (isGroup(name) && !from.has(name)) visit(name, new Set([...from, name]));
      const tool = listing.get(name);
      if (tool === undefined || seen.has(name) || !listing.isMcp(name)) continue;
      seen.add(name);
      hidden.push(tool);
    }
  };
  for (const { name } of sorted.groups) visit(name, new Set([name]));
  return hidden;
}

/**
 * All of MCP's tools that a request with groups may hide: the groups are not
 * opened, so that one that the user has switched off cannot be told from them.
 */
export function behind({ mcp, groups }: SortedTools, listing: Listing): Tool[] {
  if (groups.length === 0) return [];
  const shown = new Set(mcp.map(({ name }) => name));
  return listing.mcpTools().filter(({ name }) => !shown.has(name));
}

/** A list of tools for the daemon. */
export interface HostList {
  /** Names the list by its content: equal lists have one name, in each window and each run. */
  source: string;
  tools: HostTool[];
  /** Whether the servers that the daemon runs join it. */
  withOwn: boolean;
}

/** A tool for the daemon. */
interface HostEntry {
  tool: HostTool;
  /** The same as JSON. */
  text: string;
}

/**
 * What was made of tools, by the listing that names their servers. The hidden
 * ones, which are most where there are many, are the same objects in each
 * request; those that a request offers are copies.
 */
const entriesOf = new WeakMap<Listing, WeakMap<Tool, HostEntry>>();

/**
 * Makes the daemon's list of MCP's tools. Its order is that of the names, whichever were visible first.
 *
 * @param withOwn whether the servers that the daemon runs join it
 */
export function hostList(tools: readonly Tool[], listing: Listing, withOwn: boolean): HostList {
  const known = entriesOf.get(listing) ?? new WeakMap<Tool, HostEntry>();
  entriesOf.set(listing, known);
  const entries = tools.map((tool) => {
    const entry = known.get(tool) ?? hostEntry(tool, listing);
    known.set(tool, entry);
    return entry;
  });
  entries.sort(({ tool: a }, { tool: b }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const hash = createHash("sha256").update(withOwn ? "with own " : "");
  for (const { text } of entries) hash.update(text);
  return { source: `vscode:${hash.digest("hex").slice(0, 16)}`, tools: entries.map(({ tool }) => tool), withOwn };
}

function hostEntry({ name, description, inputSchema }: Tool, listing: Listing): HostEntry {
  const tool: HostTool = {
    name,
    description,
    ...listing.originOf(name),
    ...(inputSchema !== undefined && { inputSchema }),
  };
  return { tool, text: JSON.stringify(tool) };
}

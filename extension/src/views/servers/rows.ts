// The rows of the view Servers.

import type { ServerInfo, ServerState, ToolInfo } from "../../protocol.gen";
import { count, escapeMarkdown, formatNumber, formatTokens } from "../format";
import type { Row, RowIcon } from "../items";
import { shortName } from "../names";
import { changesNote, findingText, lockNote } from "../lock/words";
import { causeText, rulePlace } from "../rules";
import { stateLooks } from "./states";

/** How servers, and the tools of each, are ordered. */
export type SortBy = "name" | "cost";

/** Makes the row of a server. */
export function serverRow(server: ServerInfo, options: { expanded?: boolean; matches?: number } = {}): Row {
  const look = stateLooks[server.state];
  const own = server.state !== "host";
  const started = !isUnstarted(server);
  return {
    id: serverId(server.source, server.name),
    label: server.name,
    description: describeServer(server, options.matches),
    tooltip: serverTooltip(server),
    icon: server.state === "ready" ? readyIcon(server) : look.icon,
    // What nothing is known of yet can be neither switched nor configured here.
    context: [
      started ? "server" : "unstarted",
      own ? "own" : "host",
      server.state,
      server.alwaysLoad === true ? "pinned" : "unpinned",
      ...(server.file === undefined ? [] : ["file"]),
      ...(server.content === undefined ? [] : ["locked"]),
      ...(changesNote(server.changes) === undefined ? [] : ["changes"]),
    ].join("."),
    ...(started && { checked: server.state !== "disabled", checkboxTooltip: checkboxTooltip(server) }),
    accessibility: [
      server.name,
      look.words,
      ...(started ? [] : [notStartedYet]),
      ...(server.tools === 0 ? [] : [sizeOf(server)]),
      ...(server.alwaysLoad === true ? ["always loaded"] : []),
      ...noteOf(changesNote(server.changes)),
      ...(server.error === undefined ? [] : [server.error]),
    ].join(", "),
    expandable: server.tools === 0 ? "never" : options.expanded === true ? "expanded" : "collapsed",
  };
}

const notStartedYet = "not started yet";

/** Whether VS Code has it in a file, and has not started it: the daemon knows nothing of it. */
function isUnstarted({ state, tools }: ServerInfo): boolean {
  return state === "host" && tools === 0;
}

/** VS Code's checkboxes know no third state: the icon shows that only some of the tools are on. */
function readyIcon({ inScope, tools, changes }: ServerInfo): RowIcon {
  if (changesNote(changes) !== undefined) return { id: "warning", color: "list.warningForeground" };
  if (inScope === tools) return stateLooks.ready.icon;
  return inScope === 0
    ? { id: "circle-slash", color: "disabledForeground" }
    : { id: "color-mode", color: "charts.green" };
}

function checkboxTooltip({ state, inScope, tools }: ServerInfo): string {
  if (state === "disabled") return "Enable this server in its file";
  const partly = inScope < tools ? `${formatNumber(inScope)} of ${count(tools, "tool")} on. ` : "";
  return `${partly}Disable this server in its file`;
}

function describeServer(server: ServerInfo, matches: number | undefined): string {
  const { words, attention } = stateLooks[server.state];
  // That a server asks for a sign-in says no more than its state.
  if (server.error !== undefined && server.state !== "signedOut") return oneLine(server.error);
  if (isUnstarted(server)) return notStartedYet;
  if (attention || server.tools === 0) return words;
  const tools =
    matches !== undefined && matches < server.tools
      ? `${formatNumber(matches)} of ${count(server.tools, "tool")}`
      : server.inScope < server.tools && server.state !== "disabled"
        ? `${formatNumber(server.inScope)} of ${count(server.tools, "tool")} on`
        : count(server.tools, "tool");
  // First, because the buttons of the row cover its end.
  const size = [
    ...noteOf(changesNote(server.changes)),
    ...(server.alwaysLoad === true ? ["always loaded"] : []),
    tools,
    // Of tokens, as the view's title says: the word would not fit.
    formatTokens(server.state === "disabled" ? server.tokens : server.scopeTokens),
  ].join(" · ");
  // That VS Code runs it says the icon.
  return server.state === "ready" || server.state === "host" ? size : `${words} · ${size}`;
}

function sizeOf(server: ServerInfo): string {
  return `${formatNumber(server.inScope)} of ${count(server.tools, "tool")} on, ${formatNumber(server.tokens)} tokens`;
}

function serverTooltip(server: ServerInfo): string {
  const look = stateLooks[server.state];
  const lines = [`**${escapeMarkdown(server.name)}** — ${look.words}`];
  if (server.error !== undefined) lines.push(`$(error) ${escapeMarkdown(server.error)}`);
  if (look.next !== undefined) lines.push(look.next);
  if (isUnstarted(server))
    lines.push("VS Code starts it with your first message in agent mode. Then its tools are here.");
  if (server.state === "host") {
    lines.push("A routed model gets a tool that is on both here and in Configure Tools of VS Code's chat.");
  }
  if (server.tools > 0) lines.push(`${sizeOf(server)}. That is what a request would carry with all of its tools.`);
  if (server.alwaysLoad === true) {
    lines.push("$(pinned) Every task gets all of its tools from the start: alwaysLoad of its entry is true.");
  }
  for (const warning of server.warnings ?? []) lines.push(`$(warning) ${escapeMarkdown(warning)}`);
  if (server.file !== undefined) lines.push(`Defined in ${escapeMarkdown(place(server.file, server.line))}`);
  if (server.shadowed !== undefined && server.shadowed.length > 0) {
    lines.push(`Also defined, and not used, in ${server.shadowed.map(escapeMarkdown).join(", ")}`);
  }
  if (server.startMs !== undefined) lines.push(`Started in ${formatNumber(server.startMs)} ms`);
  if (server.firstUseMs !== undefined)
    lines.push(`Its first call waited ${formatNumber(server.firstUseMs)} ms for the start`);
  return lines.join("\n\n");
}

function place(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}

/**
 * Makes the row of a tool. Its tooltip, which is long, is made when somebody
 * looks at it: there may be thousands of rows.
 *
 * @param source the list that it came in
 * @param options.prefix what VS Code has put before the names of its server's tools
 * @param options.byServer whether `alwaysLoad` is true for the whole server, where the tool itself has no such switch
 */
export function toolRow(source: string, tool: ToolInfo, { prefix = "", byServer = false } = {}): Row {
  const place = rulePlace(tool.cause);
  // Where the whole server is off, a tool's own switch would do nothing visible.
  const ownSwitch = place?.kind !== "server";
  const on = place?.kind !== "tool";
  const notes = [
    ...noteOf(lockNote(tool)),
    ...(tool.alwaysLoad === true ? ["always loaded"] : []),
    ...(tool.override === undefined ? [] : ["own description"]),
    ...(tool.readOnly === true ? ["read-only"] : []),
    ...(place?.kind === "mode" ? [`not in mode ${place.mode}`] : []),
  ];
  const cost = formatTokens(tool.tokens);
  return {
    id: toolId(source, tool),
    label: shortName(tool.tool, prefix),
    description: [...(lockNote(tool) === undefined ? [cost, ...notes] : [...notes, cost])].join(" · "),
    icon: toolIcon(tool),
    context: [
      "tool",
      byServer ? "byServer" : tool.alwaysLoad === true ? "pinned" : "unpinned",
      tool.override === undefined ? "plain" : "override",
      ...(ownSwitch ? ["switch"] : []),
      ...noteOf(tool.lock),
    ].join("."),
    ...(ownSwitch && {
      checked: on,
      checkboxTooltip: on ? "Switch this tool off in your file" : "Switch this tool on in your file",
    }),
    accessibility: [
      tool.tool,
      tool.inScope ? "on" : `off by ${causeText(tool.cause)}`,
      `${formatNumber(tool.tokens)} tokens`,
      ...notes,
      ...(tool.findings ?? []).map(findingText),
    ].join(", "),
    expandable: "never",
  };
}

/** A note as a list, which is empty where there is none. */
function noteOf(note: string | undefined): string[] {
  return note === undefined ? [] : [note];
}

function toolIcon(tool: ToolInfo): { id: string; color?: string } {
  if (lockNote(tool) !== undefined) return { id: "warning", color: "list.warningForeground" };
  if (tool.alwaysLoad === true) return { id: "pinned", color: "charts.blue" };
  if (!tool.inScope) return { id: "circle-slash", color: "disabledForeground" };
  return { id: "tools" };
}

/** The tooltip of a tool, as Markdown. */
export function toolTooltip(tool: ToolInfo): string {
  const lines = [`**${escapeMarkdown(tool.title ?? tool.tool)}**`];
  if (tool.override !== undefined) lines.push(`Models read: ${escapeMarkdown(tool.override)}`);
  if (tool.description !== undefined) {
    const words = escapeMarkdown(tool.description);
    lines.push(tool.override === undefined ? words : `The server's own words: ${words}`);
  }
  lines.push(`${formatNumber(tool.tokens)} tokens · the model knows it as ${escapeMarkdown(tool.name)}`);
  const note = lockNote(tool);
  if (note !== undefined)
    lines.push(`$(warning) ${note}. “Review Change…” shows what is locked beside what its server says now.`);
  for (const finding of tool.findings ?? []) lines.push(`$(info) It ${escapeMarkdown(findingText(finding))}`);
  if (tool.cause !== undefined) lines.push(`$(circle-slash) Off by ${escapeMarkdown(causeText(tool.cause))}`);
  if (!tool.available) lines.push("$(warning) Its server cannot be called now");
  return lines.join("\n\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Identifies a server in the tree. */
export function serverId(source: string, name: string): string {
  return `server ${JSON.stringify([source, name])}`;
}

/** Identifies a tool in the tree. */
export function toolId(source: string, tool: { server: string; tool: string }): string {
  return `tool ${JSON.stringify([source, tool.server, tool.tool])}`;
}

/** The states of a server that Winnow does not run, so that the host's of the same name is another row. */
const held: readonly ServerState[] = ["waitingForTrust", "waitingForConsent", "declined"];

/**
 * Leaves out the host's servers that Winnow runs: the name is one server's, and its rules are the same. The host still
 * lists one that was moved behind Winnow as long as the latest task is one from before the move.
 */
export function withoutDoubles(servers: readonly ServerInfo[]): ServerInfo[] {
  const own = new Set(servers.filter(({ state }) => state !== "host" && !held.includes(state)).map(({ name }) => name));
  return servers.filter(({ name, state }) => state !== "host" || !own.has(name));
}

/** Orders servers: those that wait for the user first, VS Code's own last, then by name or by what their tools cost. */
export function sortServers(servers: readonly ServerInfo[], by: SortBy): ServerInfo[] {
  return [...servers].sort(
    (a, b) =>
      Number(stateLooks[b.state].attention) - Number(stateLooks[a.state].attention) ||
      Number(a.state === "host") - Number(b.state === "host") ||
      a.source.localeCompare(b.source) ||
      (by === "cost" ? b.tokens - a.tokens : 0) ||
      a.name.localeCompare(b.name),
  );
}

/** Orders the tools of a server. */
export function sortTools(tools: readonly ToolInfo[], by: SortBy): ToolInfo[] {
  return [...tools].sort((a, b) => (by === "cost" ? b.tokens - a.tokens : 0) || a.tool.localeCompare(b.tool));
}

/** Tells whether a tool fits a filter: each word is in its name, its server's or its description. */
export function matchesFilter(filter: string, tool: ToolInfo): boolean {
  const text = [tool.server, tool.tool, tool.title, tool.description, tool.override].join(" ").toLowerCase();
  return words(filter).every((word) => text.includes(word));
}

/** Tells whether a server's own name fits a filter. */
export function matchesServer(filter: string, name: string): boolean {
  return words(filter).every((word) => name.toLowerCase().includes(word));
}

function words(filter: string): string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** Sums up the servers for the view's title: what is in scope now, and would be sent were every tool attached. */
export function totals(servers: readonly ServerInfo[]): string {
  const tools = servers.reduce((sum, server) => sum + server.inScope, 0);
  const tokens = servers.reduce((sum, server) => sum + server.scopeTokens, 0);
  return tools === 0 ? "" : `${count(tools, "tool")} · ${formatTokens(tokens)} tokens`;
}

// What the commands of @winnow answer, as Markdown.

import type {
  Attachment,
  ExplainedTool,
  ModeListResult,
  TaskDescribeCallResult,
  TaskExplainResult,
  TaskLoadResult,
  TaskUsageResult,
  UsageSection,
} from "../protocol.gen";
import { count, escapeMarkdown, formatNumber, percent } from "../views/format";
import { reasonWords, whyAsked } from "../views/reasons";
import { causeText, isOff } from "../views/rules";

/** How many tools a table lists; the view has all of them. */
const maxRows = 40;

/** How many of the tools that are not attached are listed. */
const maxOthers = 10;

/** Why each tool is or is not attached: /why. The chat is narrow, so these are lists and no tables. */
export function whyReport({ tools, ranker, shadow }: TaskExplainResult): string {
  const attached = tools.filter((tool) => tool.attached);
  const out = tools.filter((tool) => !tool.attached);
  const off = out.filter(({ cause }) => isOff(cause));
  const others = out.filter(({ cause }) => !isOff(cause));
  const would = shadow === true ? "would be attached; as you only watch, all are" : "attached";
  const by = ranker === "" ? "" : `, ranked by ${escapeMarkdown(ranker)}`;
  const paragraphs = [
    `**${formatNumber(attached.length)} of ${count(tools.length, "tool")} ${would}**${by}.`,
    ...groups(attached, heading).map(([title, group]) => `${title}\n\n${list(group, maxRows)}`),
  ];
  if (others.length > 0) {
    const why = groups(others, ({ cause }) => causeText(cause)).map(
      ([rule, { length }]) => `${formatNumber(length)} ${rule}`,
    );
    const told = why.filter((line) => !line.endsWith(" ")).join("; ");
    paragraphs.push(
      `**${shadow === true ? "Would not be attached" : "Not attached"}**, the best first. The model finds them by \`mcp_load\`, and you by \`/load\`.${told === "" ? "" : ` (${escapeMarkdown(told)})`}\n\n${list(others, maxOthers)}`,
    );
  }
  for (const [rule, group] of groups(off, ({ cause }) => causeText(cause))) {
    paragraphs.push(`**Off** by ${escapeMarkdown(rule)}: ${names(group)}`);
  }
  paragraphs.push("`/why` and a tool's name tells what its score is made of.");
  return paragraphs.join("\n\n");
}

/** When and why tools were attached. */
function heading({ turn = 0, reason }: ExplainedTool): string {
  return `**Turn ${turn}**: ${reason === undefined ? "attached" : reasonWords[reason]}`;
}

/** Puts tools together that share a key, in the order of their first. */
function groups(tools: readonly ExplainedTool[], key: (tool: ExplainedTool) => string): [string, ExplainedTool[]][] {
  const found = new Map<string, ExplainedTool[]>();
  for (const tool of tools) found.set(key(tool), [...(found.get(key(tool)) ?? []), tool]);
  return [...found];
}

function list(tools: readonly ExplainedTool[], max: number): string {
  const lines = tools.slice(0, max).map((tool) => {
    const place = tool.rank > 0 ? `, rank ${tool.rank}` : "";
    return `- ${code(tool.name)} (${name(tool.server)})${place}, ${count(tool.tokens, "token")}`;
  });
  if (tools.length > max) lines.push(`- … and ${formatNumber(tools.length - max)} more`);
  return lines.join("\n");
}

function names(tools: readonly ExplainedTool[]): string {
  const shown = tools.slice(0, maxOthers).map((tool) => code(tool.name));
  return shown.join(", ") + (tools.length > maxOthers ? `, and ${formatNumber(tools.length - maxOthers)} more` : "");
}

/** Why one tool is or is not attached: /why with its name. */
export function whyToolReport(tool: ExplainedTool): string {
  const parts = tool.parts.map(({ name, value, detail }) => [
    escapeMarkdown(name),
    value.toFixed(2),
    escapeMarkdown(detail),
  ]);
  return [
    `**${code(tool.name)}** of ${name(tool.server)}: ${escapeMarkdown(tool.sentence)}`,
    escapeMarkdown(`${tool.verdict}.`),
    parts.length > 0 && table(["Part of the score", "Value", "Matched"], parts, 1, 1),
    parts.length > 0 &&
      `Score: ${tool.score.toFixed(2)}. The tool costs ${count(tool.tokens, "token")} in each request.`,
  ]
    .filter((part) => part !== false)
    .join("\n\n");
}

/** Where the context goes: /usage. */
export function usageReport(usage: TaskUsageResult, { counts, tokens }: Pick<Attachment, "counts" | "tokens">): string {
  const { total, contextTokens = 0, free } = usage;
  const whole = contextTokens > 0 ? contextTokens : total;
  const row = ({ name: label, tokens }: UsageSection, indent = "") => [
    `${indent}${escapeMarkdown(label)}`,
    formatNumber(tokens),
    percent(tokens, whole),
  ];
  const rows = usage.sections.flatMap((section) => [
    row(section),
    // The servers; their tools are in the view.
    ...(section.children ?? []).map((child) => row(child, "&nbsp;&nbsp;&nbsp;")),
  ]);
  rows.push(["**Total**", `**${formatNumber(total)}**`, percent(total, whole)]);
  if (contextTokens > 0) rows.push(["Free", formatNumber(free ?? contextTokens - total), percent(free ?? 0, whole)]);
  const turns = usage.turns.map(({ turn, added, tokens }) => [String(turn), formatNumber(added), formatNumber(tokens)]);
  return [
    `**Attached ${formatNumber(counts.attached)} of ${count(counts.scoped, "tool")}**, ${saving(tokens.saved)}.`,
    table(["Part", "Tokens", "Share"], rows, 1),
    turns.length > 1 && table(["Turn", "Tools added", "Tokens"], turns, 0),
    `With every tool attached it would be ${formatNumber(usage.unrouted)} tokens. What VS Code and the model add of their own is not counted; your messages are estimated.`,
  ]
    .filter((part) => part !== false)
    .join("\n\n");
}

function saving(saved: number): string {
  if (saved === 0) return "which saves nothing";
  return saved > 0 ? `saved ${count(saved, "token")}` : `which costs ${count(-saved, "token")} more than all of them`;
}

/** What was attached: /load. */
export function loadReport({ loaded, attachment }: TaskLoadResult, words: string): string {
  if (loaded.length === 0) return `No tool fits “${escapeMarkdown(words)}”.`;
  const lines = loaded.map(
    ({ name: tool, server, already }) => `- ${code(tool)} (${name(server)})${already ? ", was attached before" : ""}`,
  );
  const { attached, scoped } = attachment.counts;
  return [lines.join("\n"), `${formatNumber(attached)} of ${count(scoped, "tool")} attached.`].join("\n\n");
}

/** The modes: /mode. */
export function modesReport({ modes, current }: ModeListResult): string {
  if (modes.length === 0) {
    return "There are no modes. A mode limits which MCP servers a task sees; write one into `modes` of `.vscode/winnow.json`.";
  }
  const rows = modes.map((mode) => [
    code(mode.slug) + (mode.slug === current ? " (current)" : ""),
    name(mode.name),
    serversOf(mode),
  ]);
  const now = current === "" ? "No mode is set: a task sees every server." : `The mode is ${code(current)}.`;
  return [
    now,
    table(["Mode", "Name", "Servers"], rows),
    "Set one by `/mode` and its name; `/mode none` sees everything.",
  ].join("\n\n");
}

function serversOf({ allowedMcpServers, blockedMcpServers = [] }: ModeListResult["modes"][number]): string {
  if (allowedMcpServers !== undefined)
    return allowedMcpServers.length === 0 ? "none" : allowedMcpServers.map(name).join(", ");
  return blockedMcpServers.length === 0 ? "all" : `all but ${blockedMcpServers.map(name).join(", ")}`;
}

/** The names of tools and servers, which say whatever their authors like. */
function code(text: string): string {
  return `\`${text.replace(/[`|\n]/g, " ")}\``;
}

function name(text: string): string {
  return escapeMarkdown(text);
}

/** Writes a table; the columns of numbers, from one on to another, are aligned to the right. */
function table(head: string[], rows: string[][], firstNumber = head.length, lastNumber = head.length - 1): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const aligned = head.map((_, i) => (i >= firstNumber && i <= lastNumber ? "--:" : "---"));
  const shown = rows.slice(0, maxRows).map(line);
  if (rows.length > maxRows) shown.push(line([`… and ${formatNumber(rows.length - maxRows)} more`]));
  return [line(head), line(aligned), ...shown].join("\n");
}

/** The question whether a call may be made, for the chat. */
export function confirmReport({
  server = "",
  tool = "",
  arguments: args = {},
  readOnly,
}: TaskDescribeCallResult): string {
  const json = JSON.stringify(args, undefined, 2);
  const shown =
    json.length > maxShown ? `${json.slice(0, maxShown)}\n… (${formatNumber(json.length)} characters)` : json;
  // A fence that is longer than any within: arguments must not end it.
  const longest = Math.max(2, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [
    `**Run ${code(tool)} of the MCP server ${code(server)}?** ${whyAsked(readOnly)}`,
    `${fence}json\n${shown}\n${fence}`,
  ].join("\n\n");
}

/** Most characters of the arguments that are shown. */
const maxShown = 4000;

// Why a tool is or is not attached to a task, as rows of a picker and as Markdown.

import type { ExplainedTool, GatingAction, TaskExplainResult } from "../../protocol.gen";
import { count, escapeMarkdown, formatNumber, formatTokens } from "../format";
import { reasonWords } from "../reasons";
import { placeLabel, type RulePlace, rulePlace } from "../rules";

/** A row of a picker. */
export interface PickRow {
  label: string;
  description?: string;
  detail?: string;
}

/** A row of the list of tools. */
export interface ToolPick extends PickRow {
  tool: ExplainedTool;
}

/** A group of rows under a heading. */
export interface PickGroup<T> {
  heading: string;
  rows: T[];
}

/** Puts the tools first that were called, then those that fit the latest message, the best first. */
export function byRelevance(tools: readonly ExplainedTool[]): ExplainedTool[] {
  const place = ({ called, rank }: ExplainedTool) => (called === true ? 0 : rank > 0 ? rank : Infinity);
  return tools.toSorted((a, b) => {
    const [first, second] = [place(a), place(b)];
    return first === second ? 0 : first - second;
  });
}

/** Lists the tools of a task: attached, then not, then out of scope, each by relevance. Empty groups are left out. */
export function toolPicks(result: TaskExplainResult): PickGroup<ToolPick>[] {
  const tools = byRelevance(result.tools);
  const missed = tools.filter((tool) => tool.missed === true);
  const rest = tools.filter((tool) => tool.missed !== true);
  const out = (tool: ExplainedTool) => ["server", "tool", "mode"].includes(placeOf(tool)?.kind ?? "");
  const { shadow = false } = result;
  return [
    group("Missed: called without being attached", missed, result),
    group(
      words(shadow).attached,
      rest.filter((tool) => tool.attached),
      result,
    ),
    group(
      words(shadow).notAttached,
      rest.filter((tool) => !tool.attached && !out(tool)),
      result,
    ),
    group(
      "Switched off by you",
      rest.filter((tool) => !tool.attached && out(tool)),
      result,
    ),
  ].filter(({ rows }) => rows.length > 0);
}

/** What an explanation says besides its tools. */
export type Around = Pick<TaskExplainResult, "gating" | "shadow">;

function group(heading: string, tools: readonly ExplainedTool[], around: Around): PickGroup<ToolPick> {
  return { heading: `${heading} (${formatNumber(tools.length)})`, rows: tools.map((tool) => toolPick(tool, around)) };
}

/** What a server wants of its tool for one message, by `_tool_gating`. */
const wishes: Record<GatingAction, string> = {
  exclude: "Its server keeps it out of this message",
  claim: "Its server wants to answer the message with it",
};

/** What a tool's server said about it and the message; empty when it said nothing. */
function gatingWords(tool: ExplainedTool, { gating = [] }: Around): string[] {
  return gating
    .filter((said) => said.server === tool.server && said.tool === tool.tool)
    .map(({ action, ignored }) => `${wishes[action]}${ignored === undefined ? "" : `, without effect: ${ignored}`}`);
}

/** What became of a tool, or would have: in shadow mode every tool is attached. */
function words(shadow: boolean): { attached: string; notAttached: string } {
  return shadow
    ? { attached: "Would be attached", notAttached: "Would not be attached" }
    : { attached: "Attached", notAttached: "Not attached" };
}

function placeOf(tool: ExplainedTool): RulePlace | undefined {
  return rulePlace(tool.cause);
}

function toolPick(tool: ExplainedTool, around: Around): ToolPick {
  return {
    label: tool.name,
    description: `${tool.server} · ${formatTokens(tool.tokens)} tokens`,
    detail: [plainWhy(tool), ...gatingWords(tool, around)].join(" "),
    tool,
  };
}

/** Says in a plain sentence why a tool is there or not, for somebody who knows no scores and no settings. */
export function plainWhy(tool: ExplainedTool): string {
  const fits = tool.why ?? "";
  if (tool.called === true) return `The model called it. ${fits}`.trim();
  if (!tool.attached) {
    const kind = tool.cause?.kind;
    const chosen = ["rank", "frozen", "limit", "budget", "dispatch", "named"].includes(kind ?? "");
    if (tool.rule !== undefined && !chosen) return `${tool.rule}.`;
    if (kind === "named") return `The model knows its name, and can load it. ${fits}`.trim();
    const full = kind === "limit" || kind === "budget";
    const others = full ? "The request is full." : tool.rank > 0 ? "Others fit better." : "";
    return fits === "" ? others || "Nothing in the message matches it." : `${others} ${fits}`.trim();
  }
  switch (tool.reason) {
    case "pinned":
      return "You, or its server, have it always loaded.";
    case "loaded":
    case "earlyCall":
      return `The model asked for it. ${fits}`.trim();
    case "fill":
      return "A place was free: it is the nearest of what was left.";
    case "all":
      return "There are few tools, or routing is off: all are attached.";
    default:
      return fits === "" ? "It fitted an earlier message." : fits;
  }
}

/** Says in one sentence why a tool is or is not attached; in shadow mode, why it would or would not be. */
export function verdict(tool: ExplainedTool, shadow = false): string {
  const { decided, since } = decision(tool, shadow);
  const rank = tool.rank > 0 ? `, rank ${tool.rank} for the latest message` : "";
  return `${decided}${rank}${since}`;
}

/** What was decided about a tool, and what has become of it since; empty where nothing has. */
function decision(tool: ExplainedTool, shadow: boolean): { decided: string; since: string } {
  const { attached, notAttached } = words(shadow);
  if (!tool.attached) {
    const why = tool.rule ?? (tool.rank > 0 ? "others rank higher" : "it does not match the message");
    return { decided: `${notAttached}: ${why}`, since: "" };
  }
  const turn = tool.turn === undefined ? "" : ` at turn ${tool.turn}`;
  const reason = tool.reason === undefined ? "" : `: ${reasonWords[tool.reason]}`;
  const since = tool.rule === undefined ? "" : `. It cannot be called now: ${tool.rule}`;
  return { decided: `${attached}${turn}${reason}`, since };
}

/** What a row of the explanation of one tool does when it is chosen. */
export interface WhyRow extends PickRow {
  /** Shows these rows. */
  details?: PickGroup<WhyRow>[];
  /** Opens this place. */
  place?: RulePlace;
}

/** Explains one tool, most important first. */
export function whyRows(tool: ExplainedTool, around: Around = {}): PickGroup<WhyRow>[] {
  const place = placeOf(tool);
  const { decided: label, since } = decision(tool, around.shadow ?? false);
  const decided: WhyRow[] = [{ label: plainWhy(tool) }];
  if (tool.missed === true) {
    decided.push({ label: "Missed", detail: "The model called it while routing would not have attached it." });
  }
  if (place !== undefined) decided.push({ label: placeLabel(place), description: tool.rule ?? "", place });
  for (const said of gatingWords(tool, around)) decided.push({ label: said, description: "by _tool_gating" });
  const score =
    tool.parts.length > 0
      ? [
          { label: `Score ${number(tool.score)}`, description: tool.rank > 0 ? `rank ${tool.rank}` : "" },
          ...tool.parts.map(partRow),
        ]
      : [{ label: "No score", detail: "It was not compared, or nothing in the message matches." }];
  const details = [
    { heading: "Decision", rows: [{ label: `${label}${since}` }] },
    { heading: "Score for the latest message", rows: score },
  ];
  return [
    { heading: "Why", rows: decided },
    {
      heading: "Cost",
      rows: [{ label: `${formatNumber(tool.tokens)} tokens`, description: "in each request that carries it" }],
    },
    { heading: "More", rows: [{ label: "Details…", description: "the rule, the rank, and the score", details }] },
  ];
}

function partRow(part: ExplainedTool["parts"][number]): WhyRow {
  const value = part.value < 0 ? number(part.value) : `+${number(part.value)}`;
  return { label: `${value}  ${part.name}`, ...(part.detail !== "" && { description: part.detail }) };
}

/** Three digits are enough to compare, and what is there is never 0. */
function number(value: number): string {
  return Number(value.toPrecision(3)).toString();
}

/** The same as a tooltip. */
export function whyMarkdown(tool: ExplainedTool, around: Around = {}): string {
  const lines = [
    `**${escapeMarkdown(tool.name)}** of ${escapeMarkdown(tool.server)}`,
    escapeMarkdown(`${verdict(tool, around.shadow)}.`),
    ...gatingWords(tool, around).map((said) => escapeMarkdown(`${said}.`)),
  ];
  if (tool.why !== undefined) lines.push(escapeMarkdown(tool.why));
  if (tool.missed === true) lines.push("$(warning) Called while routing would not have attached it.");
  if (tool.parts.length > 0) {
    const rows = tool.parts.map(
      (part) => `| ${number(part.value)} | ${escapeMarkdown(part.name)} | ${escapeMarkdown(part.detail)} |`,
    );
    lines.push(
      ["| score | part | matched |", "|--:|:--|:--|", ...rows, `| **${number(tool.score)}** | in all | |`].join("\n"),
    );
  }
  lines.push(count(tool.tokens, "token"));
  return lines.join("\n\n");
}

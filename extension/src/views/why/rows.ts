// Why a tool is or is not attached to a task, as rows of a picker and as Markdown.

import type { ExplainedTool, TaskExplainResult } from "../../protocol.gen";
import { count, escapeMarkdown, formatNumber, formatTokens, wrap } from "../format";
import { prefixesOf, shortName } from "../names";
import { causeText, isOff, placeLabel, type RulePlace, rulePlace } from "../rules";

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
export function toolPicks({ tools, shadow = false }: TaskExplainResult): PickGroup<ToolPick>[] {
  const prefixes = prefixesOf(tools);
  const would = shadow ? "Would be attached" : "Attached";
  const wouldNot = shadow ? "Would not be attached" : "Not attached";
  const headings = ["Missed: called without being attached", would, wouldNot, "Switched off by you"];
  const place = ({ missed, attached, cause }: ExplainedTool) =>
    missed === true ? 0 : attached ? 1 : isOff(cause) ? 3 : 2;
  const sorted = byRelevance(tools);
  return headings.flatMap((heading, i) => {
    const rows = sorted.filter((tool) => place(tool) === i).map((tool) => toolPick(tool, prefixes.get(tool.server)));
    return rows.length === 0 ? [] : [{ heading: `${heading} (${formatNumber(rows.length)})`, rows }];
  });
}

/** @param prefix what VS Code has put before the names of its server's tools */
export function toolPick(tool: ExplainedTool, prefix = ""): ToolPick {
  return {
    label: shortName(tool.name, prefix),
    description: `${tool.server} · ${formatTokens(tool.tokens)} tokens`,
    detail: `${tool.sentence} ${tool.gating ?? ""}`.trim(),
    tool,
  };
}

/** What a row of the explanation of one tool does when it is chosen. */
export interface WhyRow extends PickRow {
  /** Shows these rows. */
  details?: PickGroup<WhyRow>[];
  /** Opens this place. */
  place?: RulePlace;
}

/** How many letters of a row of a picker are seen: VS Code cuts the rest. */
const lineLength = 74;

/** Explains one tool, most important first. */
export function whyRows(tool: ExplainedTool): PickGroup<WhyRow>[] {
  const place = rulePlace(tool.cause);
  const decided: WhyRow[] = wrap(tool.sentence, lineLength).map((label) => ({ label }));
  if (tool.missed === true) {
    decided.push({ label: "Missed", detail: "The model called it while routing would not have attached it." });
  }
  if (place !== undefined) decided.push({ label: placeLabel(place), description: causeText(tool.cause), place });
  if (tool.gating !== undefined) decided.push({ label: tool.gating, description: "by _tool_gating" });
  const score =
    tool.parts.length > 0
      ? [
          { label: `Score ${number(tool.score)}`, description: tool.rank > 0 ? `rank ${tool.rank}` : "" },
          ...tool.parts.map(partRow),
        ]
      : [{ label: "No score", detail: "It was not compared, or nothing in the message matches." }];
  const details = [
    { heading: "Decision", rows: [{ label: tool.verdict }] },
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
export function whyMarkdown(tool: ExplainedTool): string {
  const lines = [
    `**${escapeMarkdown(tool.name)}** of ${escapeMarkdown(tool.server)}`,
    escapeMarkdown(`${tool.verdict}.`),
    ...[tool.gating, tool.why].flatMap((said) => (said === undefined ? [] : [escapeMarkdown(said)])),
  ];
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

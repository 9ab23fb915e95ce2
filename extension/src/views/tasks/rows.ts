// The rows of the view Tasks.

import type { AttachReason, ExplainedTool, TaskSummary, ToolRef } from "../../protocol.gen";
import { count, escapeMarkdown, excerpt, formatNumber, formatTokens } from "../format";
import type { Row, RowIcon } from "../items";
import { shortName } from "../names";
import { reasonShort, reasonWords } from "../reasons";
import { causeText } from "../rules";
import { savingWords, usedWords } from "../saving";
import { byRelevance } from "../why/rows";

/** What the extension knows of a task besides what the daemon lists. */
export interface TaskTitle {
  /** The beginning of the first message. The user's text: shown, never logged. */
  title?: string;
  model?: string;
}

/** Sums up a task: "attached 30 of 200 tools, 8k tokens fewer than VS Code by itself". */
export function taskSummary(task: TaskSummary): string {
  const { counts, shadow, routing } = task;
  if (routing === "all" && shadow !== true) return `attached all of ${count(counts.scoped, "tool")}`;
  const attached = `${formatNumber(counts.attached)} of ${count(counts.scoped, "tool")}`;
  const saving = savingWords(task);
  return [shadow === true ? `would attach ${attached}` : `attached ${attached}`, saving]
    .filter((part) => part !== "")
    .join(", ");
}

/** Whether a person can give a task a tool: one that has all of them needs none, and one that is only watched gets none. */
export function takesTools({ routing, shadow }: TaskSummary): boolean {
  return routing !== "all" && shadow !== true;
}

/** The name of a task: its first words, or its place in the list. */
export function taskLabel(facts: TaskTitle | undefined, place: number): string {
  return facts?.title ?? `Task ${place}`;
}

/** How many names a sentence lists before it counts the rest. */
const maxNames = 4;

/**
 * What the person has to know of a task, besides what was attached, as
 * sentences: the tools that routing would have missed, and what the daemon
 * warns of. The names are VS Code's or the servers' own.
 *
 * @param shorten makes a tool's name one that a person looks for
 */
export function taskNotes(
  { missedTools = [], warnings = [] }: TaskSummary,
  shorten: (tool: ToolRef) => string = ({ tool }) => tool,
): string[] {
  const names = missedTools.slice(0, maxNames).map(shorten);
  const rest = missedTools.length - names.length;
  const list = rest > 0 ? `${names.join(", ")} and ${count(rest, "more", "more")}` : names.join(", ");
  const missed = `Missed: ${list}. The model called ${missedTools.length === 1 ? "it" : "them"}, and routing would not have attached ${missedTools.length === 1 ? "it" : "them"}.`;
  return [...(missedTools.length === 0 ? [] : [missed]), ...warnings.map(sentence)];
}

/** Begins a text with a capital and ends it with a full stop. */
function sentence(text: string): string {
  const begun = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** How much of a title a row shows, so that there is room for what was attached. */
const labelLength = 18;

/** Makes the row of a task. Place counts from 1. */
export function taskRow(task: TaskSummary, facts: TaskTitle | undefined, place: number, newest: boolean): Row {
  const title = taskLabel(facts, place);
  const label = excerpt(title, labelLength);
  const turn = `turn ${task.turn}${task.frozen ? ", frozen" : ""}`;
  const mode = task.mode === "" ? [] : [`mode ${task.mode}`];
  const details = [turn, ...mode, ...(facts?.model === undefined ? [] : [facts.model])];
  const missed = task.missed ?? 0;
  const notes = taskNotes(task);
  const summary = taskSummary(task);
  const lines = [
    `**${escapeMarkdown(title)}**`,
    ...(task.shadow === true ? ["$(eye) Shadow mode: nothing is changed; this is what routing would have done."] : []),
    sentence(summary),
    ...[usedWords(task.used)].filter((words) => words !== ""),
    escapeMarkdown(details.join(" · ")),
    ...((task.counts.named ?? 0) > 0
      ? [`The model knows ${count(task.counts.named ?? 0, "more", "more")} by name, and attaches them by mcp_load.`]
      : []),
    ...(task.frozen ? ["The tools are frozen: only the model adds more, by mcp_load."] : []),
    ...notes.map((note) => `$(warning) ${escapeMarkdown(note)}`),
  ];
  return {
    id: `task ${task.task}`,
    label,
    // What went wrong comes first: a narrow view cuts the end.
    description: [
      ...(missed > 0 ? [`${formatNumber(missed)} missed`] : []),
      `${formatNumber(task.counts.attached)} of ${formatNumber(task.counts.scoped)}`,
      ...(task.turn > 1 || task.frozen ? [turn] : []),
      ...mode,
    ].join(" · "),
    tooltip: lines.join("\n\n"),
    icon: { id: task.shadow === true ? "eye" : "comment-discussion", ...(newest && { color: "charts.blue" }) },
    context: `task.${task.shadow === true ? "shadow" : task.routing}`,
    accessibility: [title, summary, ...details, ...notes].join(", "),
    expandable: newest ? "expanded" : "collapsed",
  };
}

/** Makes the row of something that a person has to know of a task. Index counts from 0. */
export function taskNoteRow(task: string, note: string, index: number): Row {
  return {
    id: `task-note ${JSON.stringify([task, index])}`,
    label: note,
    tooltip: escapeMarkdown(note),
    icon: { id: "warning", color: "charts.yellow" },
    context: "taskNote",
    accessibility: `Warning: ${note}`,
    expandable: "never",
  };
}

/** The tools of a task that are to be shown: those it missed, then the attached ones, those first that were called. */
export function taskTools(explained: readonly ExplainedTool[]): ExplainedTool[] {
  const tools = byRelevance(explained);
  const missed = tools.filter((tool) => tool.missed === true);
  return [...missed, ...tools.filter((tool) => tool.attached && tool.missed !== true)];
}

/** Why most tools of a task are attached: no row needs to say it. */
const usual: readonly AttachReason[] = ["ranked", "all"];

/**
 * Makes the row of a tool of a task: its name, then in what it differs from most others.
 *
 * @param prefix what VS Code has put before the names of its server's tools
 * @param twice whether another server of the task has a tool of that name
 */
export function taskToolRow(task: string, tool: ExplainedTool, { prefix = "", twice = false } = {}): Row {
  const missed = tool.missed === true;
  const turn = tool.turn === undefined ? [] : [`turn ${tool.turn}`];
  const differs = [
    ...(twice ? [tool.server] : []),
    ...(missed ? ["missed: called without being attached"] : []),
    ...(missed || tool.reason === undefined || usual.includes(tool.reason) ? [] : [reasonShort[tool.reason]]),
    ...(!missed && tool.turn !== 1 ? turn : []),
  ];
  return {
    id: `task-tool ${JSON.stringify([task, tool.server, tool.tool])}`,
    label: shortName(tool.name, prefix),
    description: [...differs, `${formatTokens(tool.tokens)} tokens`].join(" · "),
    icon: missed ? { id: "warning", color: "charts.yellow" } : iconOf(tool),
    context: missed ? "taskTool.missed" : "taskTool.attached",
    accessibility: [
      tool.name,
      `of server ${tool.server}`,
      ...(missed ? ["missed: called without being attached"] : turn),
      ...(!missed && tool.reason !== undefined ? [reasonWords[tool.reason]] : []),
      `${formatNumber(tool.tokens)} tokens`,
      ...(tool.cause === undefined ? [] : [`cannot be called: ${causeText(tool.cause)}`]),
    ].join(", "),
    expandable: "never",
  };
}

function iconOf(tool: ExplainedTool): RowIcon {
  if (tool.cause !== undefined) return { id: "circle-slash", color: "disabledForeground" };
  if (tool.called === true) return { id: "check", color: "charts.green" };
  switch (tool.reason) {
    case "pinned":
      return { id: "pinned", color: "charts.blue" };
    case "loaded":
    case "earlyCall":
      return { id: "cloud-download", color: "charts.purple" };
    default:
      return { id: "tools" };
  }
}

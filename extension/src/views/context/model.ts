// What the panel Context shows, made of the daemon's answer. Pure; the panel
// gets it as JSON and only draws.

import type { TaskSummary, TaskUsageResult, UsageSection, WeekSavings } from "../../protocol.gen";
import { formatNumber, formatTokens, percent } from "../format";
import { shortName } from "../names";
import { usedWords, weekWords } from "../saving";
import { type TaskTitle, taskLabel, taskNotes, taskSummary } from "../tasks/rows";

/** What the panel draws. */
export type PanelState = EmptyPanel | TaskPanel;

/** There is nothing to show, and why. */
export interface EmptyPanel {
  kind: "empty";
  /** What the user can do. */
  text: string;
}

/** The context of one task. */
export interface TaskPanel {
  kind: "task";
  /** The open tasks, newest first. */
  tasks: { id: string; label: string }[];
  task: string;
  /** "attached 30 of 200 tools, saved 8k tokens". */
  summary: string;
  /** Mode, model, turn. */
  details: string[];
  /** What the person has to know besides: what was missed, and what the daemon warns of. */
  notes: string[];
  shadow: boolean;
  /** What the model had at hand; empty before it has called a tool. */
  used: string;
  /** The sums of the week; empty before there are any. */
  week: string;
  /**
   * With every tool, as VS Code sends by itself where that is less, and with
   * Winnow, the one with most tokens in full length; and where the window is
   * known, what is used of it.
   */
  bars: Bar[];
  rows: UsageRow[];
  /** The exact sum of the rows of level 0, without `Free`. */
  total: number;
  /** What is left of the model's window; absent where that is unknown. Negative when the request is too long. */
  free?: number;
  /** The model's window; absent where it is unknown. */
  window?: number;
  turns: TurnRow[];
}

/** One bar: its segments lie side by side. */
export interface Bar {
  label: string;
  tokens: number;
  /** What is said of the tokens: "18k tokens", or how much of the window. */
  size: string;
  segments: Segment[];
}

/** A part of a bar. */
export interface Segment {
  name: string;
  tokens: number;
  /** Where it begins and how long it is, in parts of 1 of the panel's width. */
  start: number;
  length: number;
  /** Which of the colours; the same section has the same in both bars. */
  colour: number;
}

/** A row of the table. */
export interface UsageRow {
  /** Unique in the table, and stable. */
  id: string;
  name: string;
  /** The whole name, where `name` is a part of it. */
  fullName?: string;
  tokens: number;
  share: string;
  /** 0 is a section, 1 a part of it, 2 a part of that. */
  level: number;
  /** Of a section: the colour of its segment. */
  colour?: number;
  /** The rows under it. */
  children: UsageRow[];
}

/** A turn in the history. */
export interface TurnRow {
  turn: number;
  added: number;
  tokens: number;
  /** All tools attached up to this turn, in tokens. */
  sum: number;
  /** In parts of 1, for a bar. */
  start: number;
  length: number;
}

/** The number of different colours that the panel has for sections. */
export const colours = 6;

/** What is known about the tasks. */
export interface PanelInput {
  summary: TaskSummary;
  usage: TaskUsageResult;
  facts: TaskTitle | undefined;
  /** All open tasks, oldest first, as task/list has them. */
  tasks: readonly TaskSummary[];
  factsOf: (task: string) => TaskTitle | undefined;
  /** What VS Code has put before the names of each server's tools. */
  prefixes: ReadonlyMap<string, string>;
  week: WeekSavings | undefined;
}

/** Makes the state of the panel. */
export function taskPanel(input: PanelInput): TaskPanel {
  const { summary, usage, facts, tasks, factsOf, prefixes, week } = input;
  const longest = Math.max(usage.total, usage.unrouted, usage.client, 1);
  return {
    kind: "task",
    tasks: tasks.map(({ task }, i) => ({ id: task, label: taskLabel(factsOf(task), i + 1) })).reverse(),
    task: summary.task,
    summary: taskSummary(summary),
    details: detailsOf(summary, facts),
    notes: taskNotes(summary, ({ server, tool }) => shortName(tool, prefixes.get(server) ?? "")),
    shadow: usage.shadow === true,
    used: usedWords(summary.used),
    week: week === undefined ? "" : weekWords(week),
    bars: [
      bar("With every tool", without(usage, usage.unrouted), longest),
      ...(usage.client === usage.unrouted ? [] : [bar("VS Code by itself", without(usage, usage.client), longest)]),
      bar(usage.shadow === true ? "Winnow would send" : "Sent by Winnow", usage.sections, longest),
      ...(usage.contextTokens === undefined || usage.contextTokens <= 0
        ? []
        : [windowBar(usage.sections, usage.total, usage.contextTokens)]),
    ],
    rows: usage.sections.map((section, i) => row(section, usage.total, 0, `${i}`, { colour: i, prefixes })),
    total: usage.total,
    ...(usage.free !== undefined && { free: usage.free }),
    ...(usage.contextTokens !== undefined && usage.contextTokens > 0 && { window: usage.contextTokens }),
    turns: turnRows(usage),
  };
}

function detailsOf(task: TaskSummary, facts: TaskTitle | undefined): string[] {
  return [
    ...(facts?.model === undefined ? [] : [facts.model]),
    ...(task.mode === "" ? [] : [`mode ${task.mode}`]),
    `turn ${task.turn}${task.frozen ? ", frozen" : ""}`,
    ...(task.missed === undefined || task.missed === 0 ? [] : [`${formatNumber(task.missed)} missed`]),
  ];
}

/** The daemon's own two sections come last: this one, and Winnow's meta tools. */
const toolsSection = "MCP tools";

/**
 * The sections as they would be without Winnow: the host's are the same, and the
 * tools cost what is left of the whole.
 */
function without(usage: TaskUsageResult, whole: number): UsageSection[] {
  const tools = usage.sections.findLastIndex(({ name }) => name === toolsSection);
  const host = tools < 0 ? usage.sections : usage.sections.slice(0, tools);
  const kept = host.reduce((sum, { tokens }) => sum + tokens, 0);
  return [...host, { name: toolsSection, tokens: whole - kept }];
}

function bar(label: string, sections: readonly UsageSection[], longest: number): Bar {
  const segments: Segment[] = [];
  let tokens = 0;
  for (const [i, section] of sections.entries()) {
    const part = { name: section.name, tokens: section.tokens, colour: i % colours };
    segments.push({ ...part, start: tokens / longest, length: section.tokens / longest });
    tokens += section.tokens;
  }
  return {
    label,
    tokens,
    size: `${formatTokens(tokens)} tokens`,
    segments: segments.filter((segment) => segment.tokens > 0),
  };
}

/** How much of the model's window is used; what is free stays empty. */
function windowBar(sections: readonly UsageSection[], total: number, window: number): Bar {
  const size = `${percent(total, window)} of ${formatTokens(window)}`;
  return { ...bar("The model's window", sections, Math.max(window, total)), size };
}

/** What a row takes from what it is in. */
interface RowPlace {
  colour?: number;
  prefixes: ReadonlyMap<string, string>;
  /** What to leave out of the name. */
  prefix?: string;
}

function row(section: UsageSection, total: number, level: number, id: string, place: RowPlace): UsageRow {
  const name = shortName(section.name, place.prefix ?? "");
  const prefix = level === 1 ? place.prefixes.get(section.name) : undefined;
  const inside: RowPlace = { prefixes: place.prefixes, ...(prefix !== undefined && { prefix }) };
  return {
    id,
    name,
    ...(name !== section.name && { fullName: section.name }),
    tokens: section.tokens,
    share: percent(section.tokens, total),
    level,
    ...(place.colour !== undefined && { colour: place.colour % colours }),
    children: (section.children ?? []).map((child) => row(child, total, level + 1, `${id}/${child.name}`, inside)),
  };
}

function turnRows(usage: TaskUsageResult): TurnRow[] {
  const all = Math.max(
    1,
    usage.turns.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  let sum = 0;
  return usage.turns.map(({ turn, added, tokens }) => {
    const start = sum / all;
    sum += tokens;
    return { turn, added, tokens, sum, start, length: tokens / all };
  });
}

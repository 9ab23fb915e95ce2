// What the status bar says. Pure.

import type { FileFault, ServerRow, TaskRow } from "../protocol.gen";
import { count, escapeMarkdown, formatNumber } from "../views/format";
import { rulesWords } from "./rules";

/** A server, and how it waits for the user. */
export type WaitingServer = Omit<ServerRow, "row">;

/** What the status bar goes by. */
export interface StatusInput {
  /** Whether the daemon is being started. */
  starting: boolean;
  /** Why the daemon does not run, and what to do; undefined while it runs or is being started. */
  stopped?: string | undefined;
  /** The task that was worked on last; undefined when none is open. */
  task: TaskRow | undefined;
  /** The name of the current mode; undefined when none is set. */
  mode: string | undefined;
  servers: readonly WaitingServer[];
  /** What is wrong in the files. */
  faults?: readonly FileFault[];
  /** The models that the person can use Winnow with. */
  models?: readonly string[];
  /** Routing is off. */
  off: boolean;
  /** `winnow.shadow`. */
  shadow: boolean;
  /** What was saved this week; empty before there is anything to sum up. */
  week?: string;
}

/** What the status bar shows. */
export interface StatusText {
  text: string;
  /** Markdown. */
  tooltip: string;
  /** What a screen reader says. */
  accessibility: string;
  /** Draws attention by its background. */
  warning: boolean;
}

/** Makes the text. There always is one: a person must see what Winnow does. */
export function statusText(given: StatusInput): StatusText {
  if (given.stopped !== undefined) return stoppedText(given.stopped);
  // With routing off there is nothing to say of a task. A server that waits for the user is told of all the same: it
  // serves @winnow and the gateway too.
  const input = given.off ? { ...given, task: undefined } : given;
  const waiting = input.servers.filter(({ waits }) => waits !== undefined);
  const notes = input.task?.texts.notes ?? [];
  const { faults = [] } = input;
  const needed = waiting.length > 0 || faults.length > 0;
  const attention = needed ? attentionText(waiting, faults) : undefined;
  const state = stateText(input);
  // Before there is a task to tell of, what waits for the person is what there is to say.
  const first = input.task === undefined && !input.off ? (attention ?? state) : state;
  const mode = input.mode === undefined ? [] : [input.mode];
  return {
    text: `${iconOf(input, needed)} ${[first, ...mode].join(" · ")}`,
    tooltip: tooltip(input, waiting, notes),
    accessibility: [
      `Winnow: ${[state.replace(/^Winnow: /, ""), ...mode.map((name) => `mode ${name}`), ...(attention === undefined ? [] : [attention])].join(", ")}.`,
      ...notes,
      "Opens the menu.",
    ].join(" "),
    warning: needed,
  };
}

/** Nothing is routed, whatever the chat says: that must not go unseen. */
function stoppedText(why: string): StatusText {
  const said = "Winnow does not run";
  return {
    text: `$(error) ${said}`,
    tooltip: `**${said}**\n\n${escapeMarkdown(why)}`,
    accessibility: `${said}: ${why} Opens the menu.`,
    warning: true,
  };
}

function iconOf({ starting, off, shadow, task }: StatusInput, waits: boolean): string {
  if (waits) return "$(warning)";
  if (starting) return "$(loading~spin)";
  if (off) return "$(circle-slash)";
  if (task?.warnings !== undefined && task.warnings.length > 0) return "$(warning)";
  return shadow ? "$(eye)" : "$(filter)";
}

/** What Winnow does, in a few words. */
function stateText({ starting, off, shadow, task }: StatusInput): string {
  if (off) return "Winnow: off";
  if (starting) return "Winnow: starting";
  if (task === undefined) return shadow ? "Winnow: only watching" : "Winnow: ready";
  const { counts, missed = 0 } = task;
  if (counts.scoped === 0) return "Winnow: no tools";
  if (task.routing === "all" && task.shadow !== true) return `all of ${count(counts.scoped, "tool")}`;
  const chosen = `${formatNumber(counts.attached)} of ${count(counts.scoped, "tool")}`;
  const lost = missed === 0 ? "" : `${formatNumber(missed)} missed`;
  const parts = [task.shadow === true ? `would attach ${chosen}` : chosen, task.texts.saving ?? "", lost];
  return parts.filter((part) => part !== "").join(", ");
}

/** "docs waits for your consent", or how many servers wait, or that a file is wrong. */
function attentionText(waiting: readonly WaitingServer[], faults: readonly FileFault[]): string {
  const [first] = waiting;
  const [fault] = faults;
  if (fault !== undefined) return `Winnow needs you: ${fileName(fault)}`;
  if (waiting.length === 1 && first !== undefined) return `${first.name} ${first.waits ?? ""}`;
  return `${count(waiting.length, "server")} need attention`;
}

/** The name of a fault's file, with the line. */
function fileName({ file, line }: FileFault): string {
  const name = file.split(/[\\/]/).at(-1) ?? file;
  return line === undefined ? name : `${name}:${line}`;
}

/** What the one step to a routed model is called. */
export function useModelLabel(models: readonly string[]): string {
  const [only] = models;
  return only !== undefined && models.length === 1 ? `Use Winnow with ${only}` : "Use Winnow with My Model…";
}

/** What the person can do, from the tooltip at once. */
function actions({ off }: StatusInput): string {
  const links = [
    `[${off ? "Turn on" : "Turn off"}](command:winnow.toggleRouting)`,
    "[Mode](command:winnow.pickMode)",
    "[Servers](command:winnow.showServers)",
    ...(off ? [] : ["[Why these tools?](command:winnow.why)"]),
  ];
  return links.join(" · ");
}

function tooltip(input: StatusInput, waiting: readonly WaitingServer[], notes: readonly string[]): string {
  const { task, mode, off, shadow, servers, week = "", faults = [], models = [] } = input;
  const lines = ["**Winnow**"];
  if (off) lines.push(`Routing is off. VS Code groups tools by itself again. ${rulesWords(servers, mode)}`);
  else if (shadow) lines.push("$(eye) Shadow mode: nothing is changed; this is what routing would do.");
  if (task === undefined && !off)
    lines.push(`No task yet. [${escapeMarkdown(useModelLabel(models))}](command:winnow.useModel), or ask @winnow.`);
  if (task !== undefined) {
    if (task.routing === "all" && task.shadow !== true) {
      lines.push("Few tools: every one is attached, and nothing is left out.");
    } else lines.push(`The latest task. ${task.texts.costs}`);
    if (task.texts.used !== undefined) lines.push(task.texts.used);
    lines.push(...notes.map((note) => `$(warning) ${escapeMarkdown(note)}`));
  }
  if (mode !== undefined && !off) lines.push(`Mode: ${escapeMarkdown(mode)}`);
  for (const fault of faults) lines.push(`$(error) ${escapeMarkdown(`${fileName(fault)}: ${fault.message}`)}`);
  for (const server of waiting) {
    const why = server.error === undefined ? ` ${server.waits ?? ""}` : `: ${escapeMarkdown(server.error)}`;
    lines.push(`$(warning) ${escapeMarkdown(server.name)}${why}`);
  }
  if (week !== "") lines.push(week);
  lines.push(actions(input));
  return lines.join("\n\n");
}

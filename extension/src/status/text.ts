// What the status bar says. Pure.

import type { ServerInfo, TaskSummary } from "../protocol.gen";
import { count, escapeMarkdown, formatNumber, formatTokens } from "../views/format";
import { stateLooks } from "../views/servers/states";
import { taskNotes } from "../views/tasks/rows";

/** What the status bar goes by. */
export interface StatusInput {
  /** Why the daemon does not run, and what to do; undefined while it runs or is being started. */
  stopped?: string | undefined;
  /** The task that was worked on last; undefined when none is open. */
  task: TaskSummary | undefined;
  /** Whether its tools were chosen; false where every tool is attached because there are few, or because the user wants it so. */
  routed: boolean;
  /** The name of the current mode; undefined when none is set. */
  mode: string | undefined;
  servers: readonly ServerInfo[];
  /** `winnow.searchTurns` is 0. */
  off: boolean;
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

/** Makes the text; undefined where the status bar should show nothing. */
export function statusText(given: StatusInput): StatusText | undefined {
  if (given.stopped !== undefined) return stoppedText(given.stopped);
  // With routing off there is nothing to say of a task. A server that waits for the user is told of all the same: it
  // serves @winnow and the gateway too.
  const input = given.off ? { ...given, task: undefined } : given;
  const waiting = input.servers.filter(({ state }) => stateLooks[state].attention);
  const warnings = input.task?.warnings ?? [];
  const routing = input.routed && input.task !== undefined ? routingText(input.task) : undefined;
  if (routing === undefined && waiting.length === 0 && warnings.length === 0) return undefined;
  const attention = waiting.length === 0 ? undefined : attentionText(waiting);
  const mode = input.mode === undefined ? undefined : `mode ${input.mode}`;
  const words = [routing ?? "Winnow", mode, attention].filter((word) => word !== undefined);
  const notes = input.task === undefined ? [] : taskNotes(input.task);
  return {
    text: `${iconOf(input, attention !== undefined || warnings.length > 0)} ${[routing ?? "Winnow", ...(mode === undefined ? [] : [mode]), ...(routing === undefined && attention !== undefined ? [attention] : [])].join(" · ")}`,
    tooltip: tooltip(input, waiting),
    accessibility: [`Winnow: ${words.join(", ")}.`, ...notes, "Opens the menu."].join(" "),
    warning: waiting.length > 0,
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

function iconOf({ task }: StatusInput, warns: boolean): string {
  if (warns) return "$(warning)";
  return task?.shadow === true ? "$(eye)" : "$(filter)";
}

/** "12 of 403 tools, 56k tokens saved". */
function routingText({ counts, tokens, shadow, missed }: TaskSummary): string {
  const tools = `${formatNumber(counts.attached)} of ${count(counts.scoped, "tool")}`;
  const size = formatTokens(Math.abs(tokens.saved));
  const lost = missed === undefined || missed === 0 ? "" : `, ${formatNumber(missed)} missed`;
  if (shadow === true) return `would attach ${tools}, ${tokens.saved < 0 ? "cost" : "save"} ${size} tokens${lost}`;
  return `${tools}, ${size} tokens ${tokens.saved < 0 ? "more" : "saved"}`;
}

/** "docs waits for your consent", or how many servers wait. */
function attentionText(waiting: readonly ServerInfo[]): string {
  const [first] = waiting;
  if (waiting.length === 1 && first !== undefined) return `${first.name} ${stateLooks[first.state].words}`;
  return `${count(waiting.length, "server")} need attention`;
}

function tooltip({ task, routed, mode, off }: StatusInput, waiting: readonly ServerInfo[]): string {
  const lines = ["**Winnow**"];
  if (off) lines.push("Routing is off: every tool is attached. The menu turns it on.");
  if (routed && task !== undefined) {
    const { all, attached } = task.tokens;
    lines.push(
      `${task.shadow === true ? "The latest task would carry" : "The latest task carries"} ` +
        `${formatNumber(attached)} tokens of MCP tools in each request; all of them cost ${formatNumber(all)}.`,
    );
    if (task.shadow === true) lines.push("$(eye) Shadow mode: nothing is changed, every tool is attached.");
  }
  if (task !== undefined) lines.push(...taskNotes(task).map((note) => `$(warning) ${escapeMarkdown(note)}`));
  if (mode !== undefined) lines.push(`Mode: ${escapeMarkdown(mode)}`);
  for (const server of waiting) {
    lines.push(
      `$(warning) ${escapeMarkdown(server.name)}${server.error === undefined ? ` ${stateLooks[server.state].words}` : `: ${escapeMarkdown(server.error)}`}`,
    );
  }
  return lines.join("\n\n");
}

// Asking which task or mode a command is about, when it was not called on one.

import * as vscode from "vscode";
import type { ModeInfo, ServerInfo, TaskRow } from "../protocol.gen";
import type { Sessions } from "../sessions";
import { count } from "./format";
import type { ServersNode } from "./servers/tree";
import { taskLabel } from "./tasks/rows";
import type { Store } from "./store";

/** Asks for an open task, the newest first; does not ask when there is one only. */
export async function pickTask(
  tasks: readonly TaskRow[],
  sessions: Sessions,
  title: string,
): Promise<string | undefined> {
  if (tasks.length === 0) {
    void vscode.window.showInformationMessage(
      "No task is open. Send a message to a model whose name ends in “(Winnow)”, or to @winnow.",
    );
    return undefined;
  }
  if (tasks.length === 1) return tasks[0]?.task;
  const items = tasks
    .map((task) => ({
      label: taskLabel(task, sessions.of(task.task)),
      description: `turn ${task.turn}`,
      detail: task.texts.summary,
      task: task.task,
    }))
    .reverse();
  return (await vscode.window.showQuickPick(items, { title }))?.task;
}

/** Asks for a mode; undefined when the user picked none, an empty slug when they picked "no mode". */
export async function pickMode(
  modes: readonly ModeInfo[],
  current: string,
  title: string,
): Promise<string | undefined> {
  const items = [
    { slug: "", label: "No mode", description: "Every server that is on", detail: "" },
    ...modes.map((mode) => ({
      slug: mode.slug,
      label: mode.name,
      description: serversOf(mode),
      detail: mode.description ?? "",
    })),
  ].map((item) => (item.slug === current ? { ...item, label: `$(check) ${item.label}` } : item));
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.slug;
}

/** Says which servers a mode has. */
function serversOf({ allowedMcpServers: allowed, blockedMcpServers: blocked = [] }: ModeInfo): string {
  if (allowed !== undefined) return allowed.length === 0 ? "No MCP server" : `Only ${allowed.join(", ")}`;
  return blocked.length === 0
    ? "Every server that is on"
    : `All but ${count(blocked.length, "server")}: ${blocked.join(", ")}`;
}

/** The server that a command was called on: a node of the tree, or a name. */
export function serverOf(store: Store, target: ServersNode | string | undefined): ServerInfo | undefined {
  if (target === undefined) return undefined;
  if (typeof target === "string") return store.servers.find(({ name }) => name === target);
  return target.kind === "server" ? target.server : target.parent.server;
}

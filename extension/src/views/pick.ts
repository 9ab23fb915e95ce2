// Asking which server, tool, task or mode a command is about, when it was not
// called on one.

import * as vscode from "vscode";
import type { ConsentQuestion, ModeInfo, ServerInfo, TaskSummary, ToolInfo } from "../protocol.gen";
import { count, formatTokens } from "./format";
import type { ServersNode, ToolNode } from "./servers/tree";
import { stateLooks } from "./servers/states";
import { taskLabel, taskSummary, type TaskTitle } from "./tasks/rows";
import type { Store } from "./store";
import { themeIcon } from "./treeitem";

/** Asks for one of the servers; undefined when the user picked none. */
export async function pickServer(
  servers: readonly ServerInfo[],
  title: string,
  none: string,
): Promise<ServerInfo | undefined> {
  if (servers.length === 0) {
    void vscode.window.showInformationMessage(none);
    return undefined;
  }
  const items = servers.map((server) => ({
    label: server.name,
    iconPath: themeIcon(stateLooks[server.state].icon),
    description: server.error ?? stateLooks[server.state].words,
    server,
  }));
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.server;
}

/** Asks which server is to be allowed to start; undefined when the user picked none. */
export async function pickQuestion(questions: readonly ConsentQuestion[]): Promise<ConsentQuestion | undefined> {
  if (questions.length === 0) {
    void vscode.window.showInformationMessage("No server waits for your consent.");
    return undefined;
  }
  const items = questions.map((question) => ({ label: question.server, description: question.starts, question }));
  return (await vscode.window.showQuickPick(items, { title: "Allow which server to start?" }))?.question;
}

/** Asks for a tool of any server. */
export async function pickTool(store: Store, title: string): Promise<ToolNode | undefined> {
  const withTools = store.servers.filter(({ tools }) => tools > 0);
  const items = Promise.all(
    withTools.map(async (server) => {
      const tools = await store.tools(server);
      return tools.map((tool) => ({
        label: tool.tool,
        description: `${tool.server} · ${formatTokens(tool.tokens)} tokens`,
        detail: tool.override ?? tool.description ?? "",
        node: toolNode(server, tool),
      }));
    }),
  ).then((lists) => lists.flat());
  const placeHolder = "Type a part of the name, the server or the description";
  return (
    await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true, matchOnDetail: true })
  )?.node;
}

function toolNode(server: ServerInfo, tool: ToolInfo): ToolNode {
  return { kind: "tool", source: server.source, tool, prefix: "", parent: { kind: "server", server } };
}

/** Asks for an open task, the newest first; does not ask when there is one only. */
export async function pickTask(
  tasks: readonly TaskSummary[],
  factsOf: (task: string) => TaskTitle | undefined,
  title: string,
): Promise<TaskSummary | undefined> {
  if (tasks.length === 0) {
    void vscode.window.showInformationMessage(
      "No task is open. Send a message to a model whose name ends in “(Winnow)”, or to @winnow.",
    );
    return undefined;
  }
  if (tasks.length === 1) return tasks[0];
  const items = tasks
    .map((task, i) => ({
      label: taskLabel(factsOf(task.task), i + 1),
      description: `turn ${task.turn}`,
      detail: taskSummary(task),
      task,
    }))
    .reverse();
  return (await vscode.window.showQuickPick(items, { title }))?.task;
}

/** Asks for a mode; undefined when the user picked none, an empty slug when they picked "no mode". */
export async function pickMode(
  modes: readonly ModeInfo[],
  current: string,
  options: { title: string; none: boolean },
): Promise<string | undefined> {
  const items = [
    ...(options.none ? [{ slug: "", label: "No mode", description: "Every server that is on", detail: "" }] : []),
    ...modes.map((mode) => ({
      slug: mode.slug,
      label: mode.name,
      description: serversOf(mode),
      detail: mode.description ?? "",
    })),
  ].map((item) => (item.slug === current ? { ...item, label: `$(check) ${item.label}` } : item));
  return (await vscode.window.showQuickPick(items, { title: options.title, matchOnDescription: true }))?.slug;
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

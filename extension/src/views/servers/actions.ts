// The commands on servers and tools. Each is called on its row.

import * as vscode from "vscode";
import { formatNumber, formatTokens, plainMessage } from "../../base/format";
import {
  type EditResult,
  EditUndo,
  ModeSetServerBlocked,
  type ServerInfo,
  ServerConsentPrompt,
  ServerRestart,
  ServerSetEnabled,
  ServerSignIn,
  ServerStop,
  ToolSetAlwaysLoad,
  ToolSetDescription,
  ToolSetEnabled,
} from "../../protocol/protocol.gen";
import { openFile } from "../../window/open";
import { attempt, command } from "../../window/run";
import type { Winnow } from "../../window/winnow";
import { showMenu } from "../menu";
import { openDefinition, openWorkspaceFile } from "../places";
import type { Store } from "../store";
import { askAbout } from "./consentprompt";
import { serverLogs } from "./logs";
import type { ServerNode, ServersNode, ToolNode } from "./tree";

/** Registers the commands. */
export function registerServerActions(winnow: Winnow, store: Store, switched: Switched): void {
  command(winnow, "winnow.undoSwitches", () => switched.undo());
  onServers(winnow, store, switched);
  onFiles(winnow);
  onTools(winnow, switched);
}

function onServers(winnow: Winnow, store: Store, switched: Switched): void {
  const { daemon } = winnow;
  const showLog = serverLogs(winnow);
  const on = (id: string, run: (server: ServerInfo) => unknown) => onServer(winnow, store, id, run);
  on("winnow.restartServer", ({ name }) => daemon.request(ServerRestart, { name }));
  // For the checkboxes in the rows.
  command(winnow, "winnow.toggleServer", async (row?: ServersNode) => {
    const node = known(row);
    if (node.kind === "server") await switched.set(node, node.server.row.checked === false);
  });
  on("winnow.stopServer", ({ name }) => daemon.request(ServerStop, { name }));
  on("winnow.signIn", (server) => signIn(winnow, server));
  on("winnow.showServerLog", ({ name }) => showLog(name));
  on("winnow.alwaysLoadServer", (server) => alwaysLoadServer(winnow, server, true));
  on("winnow.noAlwaysLoadServer", (server) => alwaysLoadServer(winnow, server, false));
  on("winnow.openDefinition", openDefinition);
  // For a click on a row, which has the daemon's remedies.
  command(winnow, "winnow.mendServer", async ({ server: { name, row, remedies = [] } }: ServerNode) => {
    await showMenu(remedies, { title: name, ...(row.description !== undefined && { placeHolder: row.description }) });
  });
  on("winnow.serverInMode", (server) => changeMode(winnow, store, server.name));
  on("winnow.allowServers", async ({ name: server, file = "" }) => {
    const { prompt } = await daemon.request(ServerConsentPrompt, { server, file });
    if (prompt !== undefined) void attempt(winnow, () => askAbout(winnow, prompt, true));
  });
}

/** Registers a command on a server: a row of the view, or a name from the status bar's menu. */
function onServer(winnow: Winnow, store: Store, id: string, run: (server: ServerInfo) => unknown): void {
  command(winnow, id, async (target: ServersNode | string | undefined) => {
    const server = serverOf(store, target);
    if (server !== undefined) await run(server);
  });
}

/** Returns the server for a command: of a node of the tree, or by name. */
function serverOf(store: Store, target: ServersNode | string | undefined): ServerInfo | undefined {
  if (typeof target === "string") return store.servers.find(({ name }) => name === target);
  const node = known(target);
  return node.kind === "server" ? node.server : node.parent.server;
}

/** Returns the node of a row; VS Code passes none if it was redrawing the row. */
function known<T extends ServersNode>(node: T | undefined): T {
  if (node === undefined) throw new Error("the list was being drawn anew just then. Choose it once more.");
  return node;
}

/** Writes `alwaysLoad` for a whole server, and shows its cost. */
async function alwaysLoadServer(winnow: Winnow, { name, tools, tokens }: ServerInfo, alwaysLoad: boolean) {
  const result = await winnow.daemon.request(ToolSetAlwaysLoad, { server: name, alwaysLoad });
  const text = alwaysLoad
    ? `${name}: every task gets ${allOf(tools, tokens)}`
    : `${name}: its tools are ranked like all others.`;
  if (result.changed) void attempt(winnow, () => confirmEdit(winnow, text, result));
}

/** Returns the cost of a server's tools in every task, unknown if it has not started. */
function allOf(tools: number, tokens: number): string {
  if (tools === 0) return "all of its tools from the start.";
  const which = tools === 1 ? "its tool" : `all ${formatNumber(tools)} tools`;
  return `${which} from the start, ${formatTokens(tokens)} tokens in each request.`;
}

/** Signs in through the browser, which the daemon opens. Cancelling ends the wait. */
async function signIn({ daemon }: Winnow, { name }: ServerInfo): Promise<void> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: `Winnow: sign in to ${name} in your browser`,
    cancellable: true,
  };
  await vscode.window.withProgress(options, (_, token) => daemon.request(ServerSignIn, { name }, token));
}

function onFiles(winnow: Winnow): void {
  command(winnow, "winnow.openWorkspaceFile", () => openWorkspaceFile());
  command(winnow, "winnow.manageTrust", () => vscode.commands.executeCommand("workbench.trust.manage"));
}

/** Shows in which modes a server is, and changes one of them. */
async function changeMode(winnow: Winnow, store: Store, server: string): Promise<void> {
  const { modes } = store.modes;
  if (modes.length === 0) {
    const open = "Open winnow.json";
    const text = "There is no mode yet. Define one under “modes” in .vscode/winnow.json.";
    if ((await vscode.window.showInformationMessage(text, open)) === open) await openWorkspaceFile("modes");
    return;
  }
  const items = modes.map(({ slug, name, allowedMcpServers: allowed, blockedMcpServers: blocked = [] }) => {
    const isIn = allowed === undefined ? !blocked.includes(server) : allowed.includes(server);
    return {
      slug,
      isIn,
      label: `${isIn ? "Block" : "Allow"} in ${name}`,
      description: isIn ? "allowed now" : "blocked now",
    };
  });
  const chosen = await vscode.window.showQuickPick(items, { title: `${server} in Which Mode?` });
  if (chosen === undefined) return;
  const { slug: mode, isIn: blocked } = chosen;
  const result = await winnow.daemon.request(ModeSetServerBlocked, { mode, server, blocked });
  if (!result.changed && result.by === undefined) return;
  const text = `${server} is ${blocked ? "blocked" : "allowed"} in mode ${mode}.`;
  void attempt(winnow, () => confirmEdit(winnow, text, result));
}

function onTools(winnow: Winnow, switched: Switched): void {
  const { daemon } = winnow;
  const on = (id: string, run: (node: ToolNode) => unknown) => {
    command(winnow, id, (node?: ToolNode) => run(known(node)));
  };
  const setAlwaysLoad = ({ tool: { server, tool } }: ToolNode, alwaysLoad: boolean) =>
    daemon.request(ToolSetAlwaysLoad, { server, tool, alwaysLoad });
  on("winnow.toggleTool", (node) => switched.set(node, node.tool.row.checked === false));
  on("winnow.alwaysLoad", (node) => setAlwaysLoad(node, true));
  on("winnow.noAlwaysLoad", (node) => setAlwaysLoad(node, false));
  on("winnow.overrideDescription", (node) => describe(winnow, node));
  on("winnow.resetDescription", ({ tool: { server, tool } }) => daemon.request(ToolSetDescription, { server, tool }));
  on("winnow.copyName", ({ tool }) => vscode.env.clipboard.writeText(tool.name));
}

/** Asks for a description that models read instead of the server's own. */
async function describe({ daemon }: Winnow, { tool }: ToolNode): Promise<void> {
  const description = await vscode.window.showInputBox({
    title: `What models read about ${tool.tool} of ${tool.server}`,
    prompt: "Written to your file. Leave it empty to go back to the server's own words.",
    value: tool.override ?? tool.description ?? "",
  });
  if (description === undefined || description === tool.override) return;
  await daemon.request(ToolSetDescription, {
    server: tool.server,
    tool: tool.tool,
    ...(description !== "" && { description }),
  });
}

/** Confirms a change of a file, with actions to open and undo it. */
async function confirmEdit({ daemon }: Winnow, text: string, { file, edit, by }: EditResult): Promise<void> {
  const undo = "Undo";
  const open = "Open File";
  const actions = edit === undefined ? [open] : [undo, open];
  const said = by === undefined ? text : `The file is changed. ${by.text}`;
  const chosen = await vscode.window.showInformationMessage(plainMessage(`Winnow: ${said}`), ...actions);
  if (chosen === open) await openFile(by?.file ?? file, by?.line, by?.column);
  if (chosen === undo && edit !== undefined) await daemon.request(EditUndo, { edit });
}

/** How long the undo stays in the status bar, in milliseconds. */
const moment = 15_000;

/** Enables and disables servers and tools. Recent switches are undone together. */
export class Switched {
  readonly #winnow: Winnow;
  readonly #item: vscode.StatusBarItem;
  #edits: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(winnow: Winnow) {
    this.#winnow = winnow;
    this.#item = winnow.own(vscode.window.createStatusBarItem("winnow.undo", vscode.StatusBarAlignment.Right, 98));
    this.#item.name = "Winnow: Undo";
    this.#item.command = "winnow.undoSwitches";
    winnow.own({ dispose: () => clearTimeout(this.#timer) });
  }

  /** Applies a change of a checkbox, and offers to undo it. */
  async set(node: ServersNode, enabled: boolean): Promise<void> {
    const { daemon } = this.#winnow;
    const result =
      node.kind === "server"
        ? await daemon.request(ServerSetEnabled, { name: node.server.name, enabled })
        : await daemon.request(ToolSetEnabled, { server: node.tool.server, tool: node.tool.tool, enabled });
    if (!result.changed && result.by === undefined) return;
    const { label, name = label } = (node.kind === "server" ? node.server : node.tool).row;
    const text = `${name} is ${enabled ? "on" : "off"}.`;
    // The row shows a change that took effect; only others need a message.
    if (result.by === undefined && result.edit !== undefined) this.#note(text, result.edit);
    else void attempt(this.#winnow, () => confirmEdit(this.#winnow, text, result));
  }

  #note(text: string, edit: string): void {
    this.#edits.push(edit);
    const n = this.#edits.length;
    const said = n === 1 ? text : `${formatNumber(n)} switches changed.`;
    this.#item.text = "$(discard) Undo";
    this.#item.tooltip = said;
    this.#item.accessibilityInformation = { label: `${said} Undo`, role: "button" };
    this.#item.show();
    this.#offer(true);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), moment);
  }

  /** Undoes the latest first: an edit can be undone as long as its file has no later change. */
  async undo(): Promise<void> {
    const edits = this.#edits.reverse();
    this.#end();
    const failed: unknown[] = [];
    // An edit whose file has changed does not prevent the undo of others.
    for (const edit of edits) {
      await this.#winnow.daemon.request(EditUndo, { edit }).catch((err: unknown) => failed.push(err));
    }
    if (failed.length > 0) throw failed[0];
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#edits = [];
    this.#item.hide();
    this.#offer(false);
  }

  #offer(there: boolean): void {
    void vscode.commands.executeCommand("setContext", "winnow.canUndo", there);
  }
}

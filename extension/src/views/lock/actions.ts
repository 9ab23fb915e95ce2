// The commands on changes of servers. Each is called on a node of the tree, or asks for a change.

import * as vscode from "vscode";
import { plainMessage } from "../../base/format";
import {
  CatalogList,
  LockApprove,
  type LockChangeRow,
  type LockDecideParams,
  type LockDecideResult,
  LockKeep,
  LockRows,
  type LockRowsParams,
  LockUndo,
  type ToolRow,
} from "../../protocol/protocol.gen";
import { attempt, command } from "../../window/run";
import type { Winnow } from "../../window/winnow";
import type { ServersNode } from "../servers/tree";
import { lockDiffs } from "./documents";

/** Registers the commands. */
export function registerLockActions(winnow: Winnow): void {
  const showDiff = lockDiffs(winnow);
  command(winnow, "winnow.reviewChange", async (target?: ServersNode) => {
    const change = await findChange(winnow, target, "Look at which change?");
    if (change !== undefined) await review(winnow, showDiff, change);
  });
  command(winnow, "winnow.approveTool", async (target?: ServersNode) => {
    if (target?.kind === "tool") return decide(winnow, LockApprove, toolOf(target.tool));
    const change = await findChange(winnow, target, "Approve which change?");
    if (change !== undefined) await decide(winnow, LockApprove, partOf(change));
  });
  command(winnow, "winnow.keepLocked", async (target?: ServersNode) => {
    const change = await findChange(winnow, target, "Keep what is locked of which tool?");
    if (change !== undefined) await decide(winnow, LockKeep, partOf(change));
  });
  command(winnow, "winnow.approveServer", async (target?: ServersNode) => {
    const server = target === undefined ? await pickChanged(winnow) : await serverOf(winnow, target);
    if (server !== undefined) await decide(winnow, LockApprove, server);
  });
}

/** Shows a change in the diff editor, and asks for a decision. */
async function review(winnow: Winnow, showDiff: ReturnType<typeof lockDiffs>, change: LockChangeRow): Promise<void> {
  await showDiff(change);
  const approve = "Approve";
  const keep = "Keep the Locked One";
  // The decision may take a while; other commands do not wait for it.
  void attempt(winnow, async () => {
    const text = plainMessage(`Winnow: ${change.row.accessibility}`);
    const chosen = await vscode.window.showWarningMessage(
      text,
      ...(change.flagged ? [keep, approve] : [approve, keep]),
    );
    if (chosen === approve) await decide(winnow, LockApprove, partOf(change));
    if (chosen === keep) await decide(winnow, LockKeep, partOf(change));
  });
}

/** Sends the decision to the daemon, and offers to undo it. */
async function decide(winnow: Winnow, method: typeof LockApprove, params: LockDecideParams): Promise<void> {
  const result = await winnow.daemon.request(method, params);
  void attempt(winnow, () => confirm(winnow, result));
}

async function confirm(winnow: Winnow, { text = "", undo }: LockDecideResult): Promise<void> {
  const takeBack = "Undo";
  const actions = undo === undefined ? [] : [takeBack];
  const chosen = await vscode.window.showInformationMessage(plainMessage(`Winnow: ${text}`), ...actions);
  if (chosen === takeBack && undo !== undefined) await winnow.daemon.request(LockUndo, { undo });
}

/** Returns the change for a command: that of a tool, or one that the user picks. */
async function findChange(
  { daemon }: Winnow,
  target: ServersNode | undefined,
  title: string,
): Promise<LockChangeRow | undefined> {
  const { changes } = await daemon.request(LockRows, target === undefined ? {} : refOf(target));
  if (target?.kind === "tool") return changes[0];
  const items = changes.map((change) => ({
    label: change.row.label,
    description: change.server,
    detail: change.row.description ?? "",
    change,
  }));
  return (await pick(items, title))?.change;
}

function refOf(node: ServersNode): LockRowsParams {
  if (node.kind === "server") return { source: node.server.source, server: node.server.name };
  const { source, server, tool } = node.tool;
  return { source, server, tool };
}

/** Asks for one of several items; shows a message if there is none. */
async function pick<T extends vscode.QuickPickItem>(items: readonly T[], title: string): Promise<T | undefined> {
  if (items.length > 0) return vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  void vscode.window.showInformationMessage("Every server says what is locked.");
  return undefined;
}

/** Asks for a server with changes. */
async function pickChanged({ daemon }: Winnow): Promise<LockDecideParams | undefined> {
  const { servers } = await daemon.request(LockRows, {});
  const items = servers.map(({ answer, row: { label, description = "", tooltip = "" } }) => ({
    label,
    description,
    detail: tooltip,
    answer,
  }));
  return (await pick(items, "Approve all that which server says now?"))?.answer;
}

/** Returns what a node's server offers, as the view shows it; if only a server is given, its present content. */
async function serverOf({ daemon }: Winnow, node: ServersNode): Promise<LockDecideParams> {
  const { name: server, source, content } = node.kind === "server" ? node.server : node.parent.server;
  if (content !== undefined) return { source, server, content };
  const { servers } = await daemon.request(CatalogList, { source, serversOnly: true });
  return { source, server, content: servers.find(({ name }) => name === server)?.content ?? "" };
}

function toolOf({ source, server, tool: name, content = "" }: ToolRow): LockDecideParams {
  return { source, server, kind: "tool", name, content };
}

function partOf({ source = "", server, kind, name, content }: LockChangeRow): LockDecideParams {
  return { source, server, kind, ...(name !== undefined && { name }), content };
}

// The commands on what servers changed. Each is called on a node of the tree,
// or asks for a change.

import * as vscode from "vscode";
import {
  LockApprove,
  type LockChange,
  type LockDecideParams,
  type LockDecideResult,
  LockKeep,
  LockList,
  LockUndo,
} from "../../protocol.gen";
import type { Winnow } from "../../winnow";
import { count } from "../format";
import { attempt, command } from "../run";
import type { ServersNode } from "../servers/tree";
import { lockDiffs } from "./documents";
import { changeLabel, changeText } from "./words";

/** Registers the commands. */
export function registerLockActions(winnow: Winnow): void {
  const showDiff = lockDiffs(winnow);
  command(winnow, "winnow.reviewChange", async (target?: ServersNode) => {
    const change = await findChange(winnow, target, "Look at which change?");
    if (change !== undefined) await review(winnow, showDiff, change);
  });
  command(winnow, "winnow.approveTool", async (target?: ServersNode) => {
    if (target?.kind === "tool") return decide(winnow, LockApprove, toolOf(target));
    const change = await findChange(winnow, target, "Approve which change?");
    if (change !== undefined) await decide(winnow, LockApprove, partOf(change));
  });
  command(winnow, "winnow.keepLocked", async (target?: ServersNode) => {
    const change = await findChange(winnow, target, "Keep what is locked of which tool?");
    if (change !== undefined) await decide(winnow, LockKeep, partOf(change));
  });
  command(winnow, "winnow.approveServer", async (target?: ServersNode) => {
    const server = target === undefined ? await pickChanged(winnow) : nameOf(target);
    if (server !== undefined) await decide(winnow, LockApprove, { server });
  });
}

/** Shows a change in the diff editor, and asks for an answer. */
async function review(winnow: Winnow, showDiff: ReturnType<typeof lockDiffs>, change: LockChange): Promise<void> {
  await showDiff(change);
  const approve = "Approve";
  const keep = "Keep the Locked One";
  const text = `${change.server}: ${changeLabel(change)}: ${changeText(change)}`;
  // The answer may take a while, and other commands do not wait for it.
  void attempt(winnow, async () => {
    const chosen = await vscode.window.showWarningMessage(`Winnow: ${text}`, approve, keep);
    if (chosen === approve) await decide(winnow, LockApprove, partOf(change));
    if (chosen === keep) await decide(winnow, LockKeep, partOf(change));
  });
}

/** Tells the daemon the answer, and offers to take it back. */
async function decide(winnow: Winnow, method: typeof LockApprove, params: LockDecideParams): Promise<void> {
  const result = await winnow.daemon.request(method, params);
  const what = params.name === undefined || params.name === "" ? params.server : `${params.name} of ${params.server}`;
  const text =
    method === LockApprove
      ? `${what} is approved as it is now (${count(result.count, "part")}).`
      : `What is locked of ${what} stays.`;
  void attempt(winnow, () => confirm(winnow, text, result));
}

async function confirm(winnow: Winnow, text: string, { undo }: LockDecideResult): Promise<void> {
  const takeBack = "Undo";
  const actions = undo === undefined ? [] : [takeBack];
  const chosen = await vscode.window.showInformationMessage(`Winnow: ${text}`, ...actions);
  if (chosen === takeBack && undo !== undefined) await winnow.daemon.request(LockUndo, { undo });
}

/** The change that a command is about: that of a tool, or one that the user picks. */
async function findChange(
  { daemon }: Winnow,
  target: ServersNode | undefined,
  title: string,
): Promise<LockChange | undefined> {
  const { changes } = await daemon.request(LockList, {});
  if (target?.kind === "tool") {
    const { server, tool } = target.tool;
    return changes.find((change) => change.server === server && change.kind === "tool" && change.name === tool);
  }
  const fitting = changes.filter(({ server }) => target === undefined || server === nameOf(target));
  if (fitting.length === 0) {
    void vscode.window.showInformationMessage("Every server says what is locked.");
    return undefined;
  }
  const items = fitting.map((change) => ({
    label: changeLabel(change),
    description: change.server,
    detail: changeText(change),
    change,
  }));
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.change;
}

/** Asks for a server with changes. */
async function pickChanged({ daemon }: Winnow): Promise<string | undefined> {
  const { changes } = await daemon.request(LockList, {});
  const servers = [...new Set(changes.map(({ server }) => server))];
  if (servers.length === 0) {
    void vscode.window.showInformationMessage("Every server says what is locked.");
    return undefined;
  }
  return vscode.window.showQuickPick(servers, { title: "Approve all that which server says now?" });
}

function nameOf(node: ServersNode): string {
  return node.kind === "server" ? node.server.name : node.tool.server;
}

function toolOf({ tool }: Extract<ServersNode, { kind: "tool" }>): LockDecideParams {
  return { server: tool.server, kind: "tool", name: tool.tool };
}

function partOf({ server, kind, name }: LockChange): LockDecideParams {
  return { server, kind, ...(name !== undefined && { name }) };
}

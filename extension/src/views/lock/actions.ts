// The commands on what servers changed. Each is called on a node of the tree,
// or asks for a change.

import * as vscode from "vscode";
import {
  CatalogList,
  LockApprove,
  type LockChange,
  type LockDecideParams,
  type LockDecideResult,
  LockKeep,
  LockList,
  LockUndo,
  type ToolRow,
} from "../../protocol.gen";
import type { Winnow } from "../../winnow";
import { attempt, command } from "../run";
import type { ServersNode } from "../servers/tree";
import { lockDiffs } from "./documents";
import { answerText, changeLabel, changeText, hostOf } from "./words";

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
  const text = answerText(method === LockApprove, params, result);
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
    const { source, server, tool } = target.tool;
    return changes.find(
      (change) => change.server === server && change.kind === "tool" && change.name === tool && isOf(change, source),
    );
  }
  const fitting = changes.filter(
    (change) => target === undefined || (change.server === target.server.name && isOf(change, target.server.source)),
  );
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

/** Whether a change is of a server of a list: those of the daemon's own are in lists of the host as well. */
function isOf({ source = "" }: LockChange, list: string): boolean {
  return source === list || source === "" || hostOf(source) === hostOf(list);
}

/** Asks for a server with changes. */
async function pickChanged(winnow: Winnow): Promise<LockDecideParams | undefined> {
  const { changes } = await winnow.daemon.request(LockList, {});
  const servers = new Map(changes.map(({ source = "", server }) => [`${source} ${server}`, { source, server }]));
  if (servers.size === 0) {
    void vscode.window.showInformationMessage("Every server says what is locked.");
    return undefined;
  }
  const items = [...servers.values()].map(({ source, server }) => ({
    label: server,
    ...(source !== "" && { description: "run by VS Code" }),
    // What the person is shown is what the answer is about.
    detail: changes
      .filter((change) => change.server === server && (change.source ?? "") === source)
      .map(changeLabel)
      .join(", "),
    source,
  }));
  const list = await Promise.all(
    items.map(async (item) => ({ ...item, content: await contentOf(winnow, item.source, item.label) })),
  );
  const picked = await vscode.window.showQuickPick(list, { title: "Approve all that which server says now?" });
  return picked === undefined ? undefined : { source: picked.source, server: picked.label, content: picked.content };
}

/** What a server in a list says now, by name. */
async function contentOf({ daemon }: Winnow, source: string, name: string): Promise<string> {
  const { servers } = await daemon.request(CatalogList, { source, serversOnly: true });
  return servers.find((server) => server.name === name)?.content ?? "";
}

/** All that the server of a node says, as the view shows it. */
async function serverOf(winnow: Winnow, node: ServersNode): Promise<LockDecideParams> {
  const { name: server, source, content } = node.kind === "server" ? node.server : node.parent.server;
  return { source, server, content: content ?? (await contentOf(winnow, source, server)) };
}

function toolOf({ source, server, tool: name, content = "" }: ToolRow): LockDecideParams {
  return { source, server, kind: "tool", name, content };
}

function partOf({ source = "", server, kind, name, content }: LockChange): LockDecideParams {
  return { source, server, kind, ...(name !== undefined && { name }), content };
}

// What keys do on the rows of the view Servers. VS Code gives a command of a key no
// row, lets no key reach a row's box, and does nothing on Enter where a row has a box.

import * as vscode from "vscode";
import { command } from "../../window/run";
import type { Winnow } from "../../window/winnow";
import { type Store, serverId } from "../store";
import type { Switched } from "./actions";
import { type ServerNode, type ServersItem, type ToolNode, clickOf } from "./tree";

/** Registers what *Space* and *Enter* do. */
export function registerKeys(
  winnow: Winnow,
  store: Store,
  view: vscode.TreeView<ServersItem>,
  switched: Switched,
): void {
  command(winnow, "winnow.switchRow", async () => {
    const node = await focused(view);
    if (node === undefined || node.kind === "fault") return;
    const checked = await checkedNow(store, node);
    if (checked !== undefined) await switched.set(node, !checked);
  });
  command(winnow, "winnow.openRow", async () => {
    const node = await focused(view);
    if (node === undefined) return;
    const click = clickOf(node);
    if (click !== undefined) await vscode.commands.executeCommand(click.command, ...(click.arguments as unknown[]));
    else await vscode.commands.executeCommand(node.kind === "server" ? "list.toggleExpand" : "list.showHover");
  });
}

/** Whether the box of a row is ticked, if it has one. What VS Code gives as selected may be as it was before a change. */
async function checkedNow(store: Store, node: ServerNode | ToolNode): Promise<boolean | undefined> {
  if (node.kind === "server")
    return store.servers.find((server) => serverId(server) === serverId(node.server))?.row.checked;
  return (await store.tools(node.parent.server)).find(({ tool }) => tool === node.tool.tool)?.row.checked;
}

/** The row that has the focus: the one by which the selection differs when VS Code's own command adds it, or takes it out. */
async function focused(view: vscode.TreeView<ServersItem>): Promise<ServersItem | undefined> {
  const before = view.selection;
  await vscode.commands.executeCommand("list.toggleSelection");
  const after = view.selection;
  await vscode.commands.executeCommand("list.toggleSelection");
  return after.find((node) => !before.includes(node)) ?? before.find((node) => !after.includes(node));
}

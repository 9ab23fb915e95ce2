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

/** How often the row with the focus is looked for, and how long after one another, in milliseconds. */
const looks = 10;
const between = 100;

/**
 * The row that has the focus: the one by which the selection differs when VS Code's own command adds it, or takes it out.
 * While rows are made again, as after each change, VS Code knows none of them as selected.
 */
async function focused(view: vscode.TreeView<ServersItem>): Promise<ServersItem | undefined> {
  const selected = () => new Map(view.selection.map((node) => [rowId(node), node]));
  for (let look = 0; look < looks; look++) {
    const before = selected();
    await vscode.commands.executeCommand("list.toggleSelection");
    const after = selected();
    await vscode.commands.executeCommand("list.toggleSelection");
    const row = [...after].find(([id]) => !before.has(id)) ?? [...before].find(([id]) => !after.has(id));
    if (row !== undefined) return row[1];
    await new Promise((resolve) => setTimeout(resolve, between));
  }
  return undefined;
}

/** Tells rows apart, also when they are made again. */
function rowId(node: ServersItem): string {
  if (node.kind === "fault") return JSON.stringify([node.fault.file, node.fault.line, node.fault.message]);
  if (node.kind === "server") return serverId(node.server);
  return JSON.stringify([serverId(node.parent.server), node.tool.tool]);
}

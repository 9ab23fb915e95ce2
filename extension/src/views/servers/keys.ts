// Keyboard actions on the rows of the view Servers. VS Code passes no row to a keybinding's command, lets no key toggle
// a row's checkbox, and ignores Enter on a row with one.

import * as vscode from "vscode";
import { command } from "../../window/run";
import type { Winnow } from "../../window/winnow";
import { type Store, serverId } from "../store";
import type { Switched } from "./actions";
import { type ServerNode, type ServersItem, type ToolNode, clickOf } from "./tree";

/** Registers the actions of *Space* and *Enter*. */
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

/** Returns whether a row is checked, if it has a checkbox. VS Code's selection may hold outdated rows. */
async function checkedNow(store: Store, node: ServerNode | ToolNode): Promise<boolean | undefined> {
  if (node.kind === "server")
    return store.servers.find((server) => serverId(server) === serverId(node.server))?.row.checked;
  return (await store.tools(node.parent.server)).find(({ tool }) => tool === node.tool.tool)?.row.checked;
}

/** How often to look for the focused row, and the interval in milliseconds. */
const looks = 10;
const between = 100;

/**
 * Returns the focused row: the one by which the selection differs after VS Code's own toggle command. While rows are
 * recreated, as after each change, VS Code reports none as selected.
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

/** Returns an id of a row that is stable when rows are recreated. */
function rowId(node: ServersItem): string {
  if (node.kind === "fault") return JSON.stringify([node.fault.file, node.fault.line, node.fault.message]);
  if (node.kind === "server") return serverId(node.server);
  return JSON.stringify([serverId(node.parent.server), node.tool.tool]);
}

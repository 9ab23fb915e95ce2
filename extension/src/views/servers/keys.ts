// What keys do on the rows of the view Servers. VS Code gives a command of a key no
// row, lets no key reach a row's box, and does nothing on Enter where a row has a box.

import * as vscode from "vscode";
import { command } from "../../window/run";
import type { Winnow } from "../../window/winnow";
import type { Switched } from "./actions";
import { type ServersItem, clickOf } from "./tree";

/** Registers what *Space* and *Enter* do. */
export function registerKeys(winnow: Winnow, view: vscode.TreeView<ServersItem>, switched: Switched): void {
  command(winnow, "winnow.switchRow", async () => {
    const node = await focused(view);
    if (node === undefined || node.kind === "fault") return;
    const { checked } = (node.kind === "server" ? node.server : node.tool).row;
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

/** The row that has the focus: the one by which the selection differs when VS Code's own command adds it, or takes it out. */
async function focused(view: vscode.TreeView<ServersItem>): Promise<ServersItem | undefined> {
  const before = view.selection;
  await vscode.commands.executeCommand("list.toggleSelection");
  const after = view.selection;
  await vscode.commands.executeCommand("list.toggleSelection");
  return after.find((node) => !before.includes(node)) ?? before.find((node) => !after.includes(node));
}

import * as vscode from "vscode";
import type { MenuEntry } from "../protocol/protocol.gen";
import { openFile } from "../window/open";

/** Shows the daemon's menu entries and runs the chosen one. */
export async function showMenu(
  entries: readonly MenuEntry[],
  options: Pick<vscode.QuickPickOptions, "title" | "placeHolder">,
): Promise<void> {
  const items = entries.map((entry) => ({
    ...entry,
    ...(entry.command === undefined && entry.fault === undefined && { kind: vscode.QuickPickItemKind.Separator }),
  }));
  const chosen = await vscode.window.showQuickPick(items, options);
  const fault = chosen?.fault;
  if (fault !== undefined) await openFile(fault.file, fault.line, fault.column);
  else if (chosen?.command !== undefined) await vscode.commands.executeCommand(chosen.command, chosen.server);
}

// The list of the user's approvals, each revocable with one click.

import * as vscode from "vscode";
import { type Approval, ApprovalList, ApprovalRevoke } from "../../protocol/protocol.gen";
import { attempt, command } from "../../window/run";
import type { Winnow } from "../../window/winnow";

interface Item extends vscode.QuickPickItem {
  approval: Approval;
}

/** Registers the command that shows the list. */
export function registerApprovals(winnow: Winnow): void {
  command(winnow, "winnow.showApprovals", async () => {
    const items = await itemsOf(winnow);
    if (items.length === 0) {
      void vscode.window.showInformationMessage("Nothing is approved yet: each tool that may write is asked about.");
      return;
    }
    const list = winnow.own(vscode.window.createQuickPick<Item>());
    list.title = "What You Allowed";
    list.placeholder = "Take one back by the button at its end";
    list.matchOnDescription = list.matchOnDetail = true;
    list.items = items;
    list.onDidTriggerItemButton(
      ({ item }) =>
        void attempt(winnow, async () => {
          await takeBack(winnow, item.approval);
          list.items = await itemsOf(winnow);
        }),
    );
    list.onDidHide(() => list.dispose());
    list.show();
  });
}

async function itemsOf({ daemon }: Winnow): Promise<Item[]> {
  const { approvals } = await daemon.request(ApprovalList, {});
  const buttons = [{ iconPath: new vscode.ThemeIcon("trash"), tooltip: "Take Back" }];
  return approvals.map((approval) => {
    const { label = "", description = "", tooltip = "" } = approval.row ?? {};
    return { label, description, detail: tooltip, buttons, approval };
  });
}

/** Revokes an approval: settings through VS Code, all others through the daemon. */
async function takeBack({ daemon }: Winnow, { id, kind, server }: Approval): Promise<void> {
  if (kind !== "gating") {
    await daemon.request(ApprovalRevoke, { id });
    return;
  }
  const settings = vscode.workspace.getConfiguration("winnow");
  const places = settings.inspect<string[]>("gating.servers");
  const without = (names: string[]) => names.filter((name) => name !== server);
  for (const [names, target] of [
    [places?.workspaceFolderValue, vscode.ConfigurationTarget.WorkspaceFolder],
    [places?.workspaceValue, vscode.ConfigurationTarget.Workspace],
    [places?.globalValue, vscode.ConfigurationTarget.Global],
  ] as const) {
    if (names?.includes(server) === true) await settings.update("gating.servers", without(names), target);
  }
}

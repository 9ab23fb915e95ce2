import * as vscode from "vscode";
import { plainMessage } from "../../base/format";
import { LockRows } from "../../protocol/protocol.gen";
import { attempt } from "../../window/run";
import type { Winnow } from "../../window/winnow";
import type { Store } from "../store";

/** Shows the number of pending changes on the view, and notifies the user of each once. */
export function registerLockBadge(winnow: Winnow, store: Store, view: vscode.TreeView<unknown>): void {
  // The changes shown so far, by content: one that returns, as after a restart of its server, is not shown again.
  const told = new Set<string>();
  const show = () => {
    view.badge = store.catalog.badge;
    if (view.badge !== undefined) void attempt(winnow, tellNews);
  };
  const tellNews = async () => {
    const { news } = await winnow.daemon.request(LockRows, { told: [...told] });
    if (news === undefined || news.told.every((id) => told.has(id))) return;
    for (const id of news.told) told.add(id);
    const review = "Review…";
    if ((await vscode.window.showWarningMessage(plainMessage(`Winnow: ${news.text}`), review)) === review) {
      await vscode.commands.executeCommand("winnow.reviewChange");
    }
  };
  show();
  winnow.own(store.onDidChangeServers(show));
}

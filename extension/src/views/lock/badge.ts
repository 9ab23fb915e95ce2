import * as vscode from "vscode";
import type { ServerInfo } from "../../protocol.gen";
import type { Winnow } from "../../winnow";
import { count } from "../format";
import { attempt } from "../run";
import type { Store } from "../store";

/** Shows on the view how many changes wait for the user, and tells of new ones once. */
export function registerLockBadge(winnow: Winnow, store: Store, view: vscode.TreeView<unknown>): void {
  const told = new Map<string, number>();
  const show = () => {
    const changed = store.servers.filter(({ changes = 0 }) => changes > 0);
    const waiting = changed.reduce((sum, { changes = 0 }) => sum + changes, 0);
    view.badge = waiting === 0 ? undefined : { value: waiting, tooltip: `${count(waiting, "change")} by MCP servers` };
    const news = changed.filter(({ name, changes = 0 }) => changes > (told.get(name) ?? 0));
    told.clear();
    for (const { name, changes = 0 } of changed) told.set(name, changes);
    if (news.length > 0) void attempt(winnow, () => tell(news));
  };
  show();
  winnow.own(store.onDidChangeServers(show));
}

/** Tells of changes, with a way to look at them. */
async function tell(servers: readonly ServerInfo[]): Promise<void> {
  const names = servers.map(({ name }) => name).join(", ");
  const review = "Review…";
  const text = `Winnow: ${names} changed what it offers. Models do not see the change before you have.`;
  if ((await vscode.window.showWarningMessage(text, review)) === review) {
    await vscode.commands.executeCommand("winnow.reviewChange");
  }
}

import * as vscode from "vscode";
import { type LockChange, LockList } from "../../protocol.gen";
import type { Winnow } from "../../winnow";
import { attempt } from "../run";
import type { Store } from "../store";
import { changedText, changeId } from "./words";

/** Shows on the view how many changes wait for the user, and tells of each once. */
export function registerLockBadge(winnow: Winnow, store: Store, view: vscode.TreeView<unknown>): void {
  // What was told, by what the servers say: a change that comes back, as after a restart of its server, is no news.
  const told = new Set<string>();
  const show = () => {
    view.badge = store.catalog.badge;
    if (view.badge !== undefined) void attempt(winnow, tellNews);
  };
  const tellNews = async () => {
    const { changes } = await winnow.daemon.request(LockList, {});
    const news = changes.filter((change) => isUnanswered(change) && !told.has(changeId(change)));
    for (const change of news) told.add(changeId(change));
    if (news.length > 0) await tell(news);
  };
  show();
  winnow.own(store.onDidChangeServers(show));
}

function isUnanswered({ state, kept }: LockChange): boolean {
  return state === "damaged" || (state === "changed" && kept !== true);
}

/** Tells of changes, with a way to look at them. */
async function tell(changes: readonly LockChange[]): Promise<void> {
  const review = "Review…";
  if ((await vscode.window.showWarningMessage(`Winnow: ${changedText(changes)}`, review)) === review) {
    await vscode.commands.executeCommand("winnow.reviewChange");
  }
}

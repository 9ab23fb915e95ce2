import * as vscode from "vscode";
import { type PickRow, TaskWhy, type TaskWhyParams, type TaskWhyResult } from "../../protocol/protocol.gen";
import { command } from "../../window/run";
import type { Sessions } from "../../window/sessions";
import type { Winnow } from "../../window/winnow";
import { openPlace } from "../places";
import type { Store } from "../store";
import { pickTask } from "../tasks/pick";

/** Registers the command that explains why tools are or are not attached. */
export function registerWhy(winnow: Winnow, store: Store, sessions: Sessions): void {
  command(winnow, "winnow.why", async (node?: Pick<TaskWhyParams, "task" | "tool">) => {
    const task = node?.task ?? (await pickTask(store.tasks, sessions, "Why? In which task?"));
    if (task === undefined) return;
    await explain(winnow, store, { task, ...(node?.tool !== undefined && { tool: node.tool }) });
  });
}

/** Walks between the list of tools and the explanation of one, until the person has seen enough. */
async function explain(winnow: Winnow, store: Store, asked: TaskWhyParams): Promise<void> {
  const chosen = await pickFrom(await winnow.daemon.request(TaskWhy, asked));
  if (chosen?.place !== undefined) await openPlace(store, chosen.place);
  if (chosen?.next !== undefined) await explain(winnow, store, chosen.next);
}

/** Shows grouped rows; resolves with what was chosen, which may be to go back. */
function pickFrom({ title, groups, back }: TaskWhyResult): Promise<Pick<PickRow, "next" | "place"> | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { row?: PickRow }>();
  pick.title = title;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  if (back !== undefined) pick.buttons = [vscode.QuickInputButtons.Back];
  pick.items = groups.flatMap(({ heading, rows }) => [
    { label: heading, kind: vscode.QuickPickItemKind.Separator },
    ...rows.map((row) => ({ label: row.label, description: row.description ?? "", detail: row.detail ?? "", row })),
  ]);
  return new Promise((resolve) => {
    pick.onDidTriggerButton(() => {
      resolve(back && { next: back });
      pick.hide();
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.row);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

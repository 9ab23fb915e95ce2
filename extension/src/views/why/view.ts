import * as vscode from "vscode";
import { TaskExplain, type TaskExplainResult } from "../../protocol.gen";
import type { Sessions } from "../../sessions";
import type { Winnow } from "../../winnow";
import { prefixesOf } from "../names";
import { pickTask } from "../pick";
import { openPlace } from "../places";
import { command } from "../run";
import type { Store } from "../store";
import type { TasksNode } from "../tasks/tree";
import { type PickGroup, type PickRow, type ToolPick, type WhyRow, toolPick, toolPicks, whyRows } from "./rows";

/** Registers the command that explains why tools are or are not attached. */
export function registerWhy(winnow: Winnow, store: Store, sessions: Sessions): void {
  command(winnow, "winnow.why", async (node?: TasksNode) => {
    const asked = node?.kind === "task" ? node.task.task : node?.task;
    const task = asked ?? (await pickTask(store.tasks, (id) => sessions.of(id), "Why? In which task?"))?.task;
    if (task === undefined) return;
    const result = await winnow.daemon.request(TaskExplain, { task });
    const tool = node?.kind === "tool" ? find(result, node) : undefined;
    await explain(store, result, tool);
  });
}

/** The tool of a node, as the task has it now. */
function find({ tools }: TaskExplainResult, { tool }: TasksNode & { kind: "tool" }): ToolPick | undefined {
  const now = tools.find(({ server, tool: name }) => server === tool.server && name === tool.tool);
  return now === undefined ? undefined : toolPick(now, prefixesOf(tools).get(now.server));
}

/** Walks between the list of tools and the explanation of one, until the person has seen enough. */
async function explain(store: Store, result: TaskExplainResult, first: ToolPick | undefined): Promise<void> {
  let tool = first ?? (await pickFrom(toolPicks(result), { title: titleOf(result), back: false }));
  while (tool !== undefined && tool !== "back") {
    const title = `Why ${tool.label} of ${tool.tool.server}?`;
    const row: WhyRow | "back" | undefined = await pickFrom(whyRows(tool.tool), { title, back: true });
    if (row === undefined) return;
    if (row !== "back") {
      if (row.place !== undefined) await openPlace(store, row.place);
      if (row.details === undefined) return;
      const closed = await pickFrom(row.details, { title, back: true });
      if (closed !== "back") return;
      continue;
    }
    tool = await pickFrom(toolPicks(result), { title: titleOf(result), back: false });
  }
}

function titleOf({ shadow }: TaskExplainResult): string {
  const words = "Why Each Tool Is or Is Not Attached";
  return shadow === true ? `${words}, Shadow Mode` : words;
}

/** Shows grouped rows; resolves with the row that was chosen, or that the person went back. */
function pickFrom<T extends PickRow>(
  groups: readonly PickGroup<T>[],
  { title, back }: { title: string; back: boolean },
): Promise<T | "back" | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { row?: T }>();
  pick.title = title;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  if (back) pick.buttons = [vscode.QuickInputButtons.Back];
  pick.items = groups.flatMap(({ heading, rows }) => [
    { label: heading, kind: vscode.QuickPickItemKind.Separator },
    ...rows.map((row) => ({ label: row.label, description: row.description ?? "", detail: row.detail ?? "", row })),
  ]);
  return new Promise((resolve) => {
    pick.onDidTriggerButton(() => {
      resolve("back");
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

import * as vscode from "vscode";
import { PROTOCOL_ROUTED_SUFFIX, type TaskRow } from "../../protocol/protocol.gen";
import type { Sessions } from "../../window/sessions";
import { taskLabel } from "./rows";

/** Asks for an open task, the newest first; if there is only one, it is returned without asking. */
export async function pickTask(
  tasks: readonly TaskRow[],
  sessions: Sessions,
  title: string,
): Promise<string | undefined> {
  if (tasks.length === 0) {
    void vscode.window.showInformationMessage(
      `No task is open. Send a message to a model whose name ends in “${PROTOCOL_ROUTED_SUFFIX.trim()}”, or to @winnow.`,
    );
    return undefined;
  }
  if (tasks.length === 1) return tasks[0]?.task;
  const items = tasks
    .map((task) => ({
      label: taskLabel(task, sessions.of(task.task)),
      description: `turn ${task.turn}`,
      detail: task.texts.summary,
      task: task.task,
    }))
    .reverse();
  return (await vscode.window.showQuickPick(items, { title }))?.task;
}

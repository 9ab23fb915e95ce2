import * as vscode from "vscode";
import { TaskClose } from "../../protocol/protocol.gen";
import { command } from "../../window/run";
import type { Sessions } from "../../window/sessions";
import type { Winnow } from "../../window/winnow";
import type { Store } from "../store";
import { loadTools } from "./load";
import { pickTask } from "./pick";
import { takesTools } from "./rows";
import { type TasksNode, TasksTree } from "./tree";

/** Registers the view Tasks. */
export function registerTasks(winnow: Winnow, store: Store, sessions: Sessions): void {
  const tree = winnow.own(new TasksTree(winnow, store, sessions));
  const view = winnow.own(vscode.window.createTreeView<TasksNode>("winnow.tasks", { treeDataProvider: tree }));
  winnow.own(
    store.onDidChangeTasks(() => {
      const shadow = store.tasks.some((task) => task.shadow === true);
      view.description = shadow ? "shadow mode" : "";
      const routed = store.tasks.some(({ task }) => sessions.of(task)?.face === "model");
      void vscode.commands.executeCommand("setContext", "winnow.hasTasks", store.tasks.length > 0);
      if (store.tasks.length > 0) winnow.steps.mark("task");
      if (routed) winnow.steps.mark("model");
    }),
  );
  // A keybinding calls without a node. It applies to a selected task, not to a tool.
  const target = async (node: TasksNode | undefined, title: string, tasks = store.tasks) => {
    const chosen = node ?? view.selection.find(({ summary }) => summary !== undefined);
    return chosen?.task ?? (await pickTask(tasks, sessions, title));
  };
  command(winnow, "winnow.loadTool", async (node?: TasksNode) => {
    const task = await target(node, "Load tools into which task?", store.tasks.filter(takesTools));
    if (task === undefined) return;
    const done = await loadTools(winnow, task);
    if (done !== undefined) vscode.window.setStatusBarMessage(`Winnow: ${done}`, 5000);
  });
  command(winnow, "winnow.closeTask", async (node?: TasksNode) => {
    const task = await target(node, "Close which task?");
    if (task !== undefined) await winnow.daemon.request(TaskClose, { task });
  });
}

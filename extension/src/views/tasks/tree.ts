import * as vscode from "vscode";
import { TaskPast, type TaskRow, TaskTools, type ToolRef } from "../../protocol/protocol.gen";
import type { Sessions } from "../../window/sessions";
import type { Winnow } from "../../window/winnow";
import type { Row } from "../items";
import type { Store } from "../store";
import { treeItem } from "../treeitem";
import { type TaskFacts, taskRow } from "./rows";

/** A node of the view Tasks: an open task, or below it a tool or a note. */
export interface TasksNode {
  task: string;
  row: Row;
  /** Set for a task. */
  summary?: TaskRow;
  /** Set for a tool that the task has or lacks. */
  tool?: ToolRef;
}

/** The tree of tasks, the newest first, each with its tools. */
export class TasksTree implements vscode.TreeDataProvider<TasksNode>, vscode.Disposable {
  readonly #winnow: Winnow;
  readonly #store: Store;
  readonly #sessions: Sessions;
  readonly #changes = new vscode.EventEmitter<TasksNode | undefined>();
  readonly onDidChangeTreeData = this.#changes.event;
  readonly #subscriptions: { dispose(): void }[];
  /** The shown tasks by id, for refreshes of one. */
  readonly #nodes = new Map<string, TasksNode>();

  constructor(winnow: Winnow, store: Store, sessions: Sessions) {
    this.#winnow = winnow;
    this.#store = store;
    this.#sessions = sessions;
    const changed = () => this.#refresh();
    this.#subscriptions = [
      store.onDidChangeTasks(changed),
      sessions.onDidChange(changed),
      // A task may have tools of a removed server without being changed itself.
      store.onDidChangeServers(() => this.#changes.fire(undefined)),
    ];
  }

  getTreeItem(node: TasksNode): vscode.TreeItem {
    const item = treeItem(node.row);
    if (node.tool !== undefined) item.command = { command: "winnow.why", title: "Why?", arguments: [node] };
    return item;
  }

  async getChildren(node?: TasksNode): Promise<TasksNode[]> {
    if (node?.summary !== undefined) return [...warningsOf(node.summary), ...(await this.#tools(node.task))];
    if (node !== undefined) return node.row === earlier ? this.#past() : [];
    const nodes = this.#taskNodes();
    this.#nodes.clear();
    for (const shown of nodes) this.#nodes.set(shown.task, shown);
    const past = await this.#past();
    return past.some(({ task }) => !this.#nodes.has(task)) ? [...nodes, { task: "", row: earlier }] : nodes;
  }

  /** Returns the tasks of chats of earlier sessions that still exist, the newest first. */
  async #past(): Promise<TasksNode[]> {
    try {
      const { tasks } = await this.#winnow.daemon.request(TaskPast, {});
      return tasks.map((summary) => taskNode(summary, undefined, "collapsed")).reverse();
    } catch (err) {
      this.#winnow.log.debug(`the earlier tasks are not known: ${err instanceof Error ? err.message : String(err)}`);
      return [];
    }
  }

  /** Returns the tools of a task; none if it was closed, because VS Code would show an error. */
  async #tools(task: string): Promise<TasksNode[]> {
    try {
      const { rows } = await this.#winnow.daemon.request(TaskTools, { task });
      return rows.map(({ tool, row }) => {
        const id = `task-tool ${JSON.stringify([task, tool.server, tool.tool])}`;
        return { task, tool, row: { ...row, id, expandable: "never" } };
      });
    } catch (err) {
      this.#winnow.log.debug(`the tools of ${task} are not known: ${err instanceof Error ? err.message : String(err)}`);
      return [];
    }
  }

  /** Returns the open tasks, the newest first. */
  #taskNodes(): TasksNode[] {
    const { tasks } = this.#store;
    return tasks
      .map((summary) =>
        taskNode(summary, this.#sessions.of(summary.task), summary === tasks.at(-1) ? "expanded" : "collapsed"),
      )
      .reverse();
  }

  /** Refreshes the changed tasks; all of them only if the list or its order changed, because explanations are long. */
  #refresh(): void {
    const now = this.#taskNodes();
    const shown = [...this.#nodes.keys()];
    if (now.length !== shown.length || now.some(({ task }, i) => task !== shown[i])) {
      this.#changes.fire(undefined);
      return;
    }
    for (const next of now) {
      const node = this.#nodes.get(next.task);
      if (node === undefined || JSON.stringify(node) === JSON.stringify(next)) continue;
      // Keep the object, by which VS Code identifies the node.
      this.#changes.fire(Object.assign(node, next));
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changes.dispose();
  }
}

/** The parent of tasks of chats of earlier sessions. */
const earlier: Row = {
  id: "earlier",
  label: "Earlier chats",
  icon: { id: "history" },
  expandable: "collapsed",
  accessibility: "Earlier chats",
};

function taskNode(summary: TaskRow, facts: TaskFacts | undefined, expandable: "expanded" | "collapsed"): TasksNode {
  const { task } = summary;
  return { task, summary, row: { ...taskRow(summary, facts), id: `task ${task}`, expandable } };
}

/** Returns the warnings of a task, such as a limit that its pinned tools exceed. */
function warningsOf({ task, texts: { warnings = [] } }: TaskRow): TasksNode[] {
  return warnings.map((row, i) => {
    const id = `task-note ${JSON.stringify([task, i])}`;
    return { task, row: { ...row, id, expandable: "never" } };
  });
}

import * as vscode from "vscode";
import { type ExplainedTool, TaskExplain, type TaskSummary } from "../../protocol.gen";
import type { Winnow } from "../../winnow";
import type { TaskFacts } from "../facts";
import { prefixOf } from "../names";
import type { Store } from "../store";
import { markdown, treeItem } from "../treeitem";
import { whyMarkdown } from "../why/rows";
import { taskNoteRow, taskNotes, taskRow, taskToolRow, taskTools } from "./rows";

/** A node of the view Tasks. */
export type TasksNode = TaskNode | TaskToolNode | TaskNoteNode;

/** An open task. */
export interface TaskNode {
  kind: "task";
  task: TaskSummary;
  /** Its place among the open tasks, from 1 for the oldest. */
  place: number;
  newest: boolean;
}

/** A tool that a task has, or has missed. */
export interface TaskToolNode {
  kind: "tool";
  task: string;
  tool: ExplainedTool;
  /** What VS Code has put before the names of its server's tools. */
  prefix: string;
}

/** Something that the person has to know of a task, such as a limit that its pinned tools do not fit. */
export interface TaskNoteNode {
  kind: "note";
  task: string;
  note: string;
  /** Its place among the task's notes, from 0. */
  index: number;
}

/** The tree of tasks, the newest first, each with its tools in the order in which they were attached. */
export class TasksTree implements vscode.TreeDataProvider<TasksNode>, vscode.Disposable {
  readonly #winnow: Winnow;
  readonly #store: Store;
  readonly #facts: TaskFacts;
  readonly #changes = new vscode.EventEmitter<TasksNode | undefined>();
  readonly onDidChangeTreeData = this.#changes.event;
  readonly #subscriptions: { dispose(): void }[];

  constructor(winnow: Winnow, store: Store, facts: TaskFacts) {
    this.#winnow = winnow;
    this.#store = store;
    this.#facts = facts;
    const changed = () => {
      this.#changes.fire(undefined);
    };
    this.#subscriptions = [store.onDidChangeTasks(changed), facts.onDidChange(changed)];
  }

  getTreeItem(node: TasksNode): vscode.TreeItem {
    if (node.kind === "task") {
      return treeItem(taskRow(node.task, this.#facts.of(node.task.task), node.place, node.newest));
    }
    if (node.kind === "note") return treeItem(taskNoteRow(node.task, node.note, node.index));
    const item = treeItem(taskToolRow(node.task, node.tool, node.prefix));
    item.command = { command: "winnow.why", title: "Why?", arguments: [node] };
    return item;
  }

  /** The tooltip is made when a person asks for it. */
  resolveTreeItem(item: vscode.TreeItem, node: TasksNode): vscode.TreeItem {
    if (node.kind === "tool") item.tooltip = markdown(whyMarkdown(node.tool));
    return item;
  }

  async getChildren(node?: TasksNode): Promise<TasksNode[]> {
    if (node !== undefined && node.kind !== "task") return [];
    if (node !== undefined) {
      const { task } = node.task;
      // A tool that was missed has a row of its own.
      const notes = (node.task.warnings ?? []).length === 0 ? [] : taskNotes({ ...node.task, missedTools: [] });
      const { tools } = await this.#winnow.daemon.request(TaskExplain, { task });
      const names = (server: string) => tools.filter((tool) => tool.server === server).map(({ name }) => name);
      const servers = new Set(tools.map(({ server }) => server));
      const prefixes = new Map([...servers].map((server) => [server, prefixOf(names(server))]));
      return [
        ...notes.map((note, index): TaskNoteNode => ({ kind: "note", task, note, index })),
        ...taskTools(tools).map((tool): TaskToolNode => {
          return { kind: "tool", task, tool, prefix: prefixes.get(tool.server) ?? "" };
        }),
      ];
    }
    const { tasks } = this.#store;
    return tasks
      .map((task, i): TaskNode => ({ kind: "task", task, place: i + 1, newest: i === tasks.length - 1 }))
      .reverse();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changes.dispose();
  }
}

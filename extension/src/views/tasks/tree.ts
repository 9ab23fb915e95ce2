import * as vscode from "vscode";
import { type ExplainedTool, TaskExplain, type TaskSummary } from "../../protocol.gen";
import type { Sessions } from "../../sessions";
import type { Winnow } from "../../winnow";
import { prefixesOf, shortName } from "../names";
import type { Store } from "../store";
import { markdown, treeItem } from "../treeitem";
import { whyMarkdown } from "../why/rows";
import { type TaskTitle, taskNoteRow, taskNotes, taskRow, taskToolRow, taskTools } from "./rows";

/** A node of the view Tasks. */
export type TasksNode = TaskNode | TaskToolNode | TaskNoteNode;

/** An open task. */
export interface TaskNode {
  kind: "task";
  task: TaskSummary;
  /** Its place among the open tasks, from 1 for the oldest. */
  place: number;
  newest: boolean;
  /** What a face of this window knows of it. */
  facts: TaskTitle | undefined;
}

/** What is to be known of a task besides its tools. One that was missed has a row of its own. */
function notesOf({ task }: TaskNode): TaskNoteNode[] {
  return taskNotes({ ...task, missedTools: [] }).map((note, index) => ({ kind: "note", task: task.task, note, index }));
}

/** Whether two states of a task look the same. */
function sameRow(a: TaskNode, b: TaskNode): boolean {
  return (
    a.facts?.title === b.facts?.title &&
    a.facts?.model === b.facts?.model &&
    JSON.stringify(a.task) === JSON.stringify(b.task)
  );
}

/** A tool that a task has, or has missed. */
export interface TaskToolNode {
  kind: "tool";
  task: string;
  tool: ExplainedTool;
  /** What VS Code has put before the names of its server's tools. */
  prefix: string;
  /** Whether another server of the task has a tool of that name. */
  twice: boolean;
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
  readonly #sessions: Sessions;
  readonly #changes = new vscode.EventEmitter<TasksNode | undefined>();
  readonly onDidChangeTreeData = this.#changes.event;
  readonly #subscriptions: { dispose(): void }[];
  /** The tasks that are shown, by id, so that one of them can be refreshed. */
  readonly #nodes = new Map<string, TaskNode>();

  constructor(winnow: Winnow, store: Store, sessions: Sessions) {
    this.#winnow = winnow;
    this.#store = store;
    this.#sessions = sessions;
    const changed = () => this.#refresh();
    this.#subscriptions = [
      store.onDidChangeTasks(changed),
      sessions.onDidChange(changed),
      // A task may hold tools of a server that is gone now; the task itself says nothing of it.
      store.onDidChangeServers(() => this.#changes.fire(undefined)),
    ];
  }

  getTreeItem(node: TasksNode): vscode.TreeItem {
    if (node.kind === "task") {
      return treeItem(taskRow(node.task, node.facts, node.place, node.newest));
    }
    if (node.kind === "note") return treeItem(taskNoteRow(node.task, node.note, node.index));
    const item = treeItem(taskToolRow(node.task, node.tool, node));
    item.command = { command: "winnow.why", title: "Why?", arguments: [node] };
    return item;
  }

  /** The tooltip is made when a person asks for it. */
  resolveTreeItem(item: vscode.TreeItem, node: TasksNode): vscode.TreeItem {
    if (node.kind === "tool") item.tooltip = markdown(whyMarkdown(node.tool));
    return item;
  }

  async getChildren(node?: TasksNode): Promise<TasksNode[]> {
    if (node?.kind === "task") return [...notesOf(node), ...(await this.#tools(node))];
    if (node !== undefined) return [];
    const nodes = this.#taskNodes();
    this.#nodes.clear();
    for (const shown of nodes) this.#nodes.set(shown.task.task, shown);
    return nodes;
  }

  /** The tools of a task; none when it was closed meanwhile, of which VS Code would make an error message. */
  async #tools({ task: { task } }: TaskNode): Promise<TaskToolNode[]> {
    try {
      const { tools } = await this.#winnow.daemon.request(TaskExplain, { task });
      const prefixes = prefixesOf(tools);
      const shown = taskTools(tools).map((tool) => ({ tool, prefix: prefixes.get(tool.server) ?? "" }));
      const names = shown.map(({ tool, prefix }) => shortName(tool.name, prefix));
      return shown.map(({ tool, prefix }, i): TaskToolNode => {
        const twice = names.indexOf(names[i] ?? "") !== names.lastIndexOf(names[i] ?? "");
        return { kind: "tool", task, tool, prefix, twice };
      });
    } catch (err) {
      this.#winnow.log.debug(`the tools of ${task} are not known: ${err instanceof Error ? err.message : String(err)}`);
      return [];
    }
  }

  /** The open tasks as they are now, the newest first. */
  #taskNodes(): TaskNode[] {
    const { tasks } = this.#store;
    return tasks
      .map((task, i): TaskNode => {
        return {
          kind: "task",
          task,
          place: i + 1,
          newest: i === tasks.length - 1,
          facts: this.#sessions.of(task.task),
        };
      })
      .reverse();
  }

  /** Draws the tasks that changed; all of them when they are others, or in another order: an explanation is long. */
  #refresh(): void {
    const now = this.#taskNodes();
    const shown = [...this.#nodes.keys()];
    if (now.length !== shown.length || now.some(({ task }, i) => task.task !== shown[i])) {
      this.#changes.fire(undefined);
      return;
    }
    for (const next of now) {
      const node = this.#nodes.get(next.task.task);
      if (node === undefined || sameRow(node, next)) continue;
      // It stays the same object, by which VS Code knows it.
      this.#changes.fire(Object.assign(node, next));
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changes.dispose();
  }
}

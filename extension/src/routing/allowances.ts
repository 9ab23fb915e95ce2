// The calls that winnow_call may make. VS Code offers that tool to every model and does not pass the chat of a call:
// the call itself has its task.

import { keepLatest } from "../base/latest";

/** The most tasks with calls that VS Code has not run yet, and perhaps never will. */
const maxTasks = 512;

/** The calls of routed models that VS Code has not run yet. */
export class Allowances {
  /** The tools of permitted calls, by task. */
  readonly #open = new Map<string, string[]>();

  /** Permits one call of a tool for a task. */
  allow(task: string, tool: string): void {
    keepLatest(this.#open, task, [...(this.#open.get(task) ?? []), tool], maxTasks);
  }

  /** Consumes a task's permitted call of a tool; false if it has none. */
  use(task: string, tool: string): boolean {
    const tools = this.#open.get(task) ?? [];
    const at = tools.indexOf(tool);
    if (at < 0) return false;
    this.#open.set(task, tools.toSpliced(at, 1));
    return true;
  }

  /** Removes a task's permits: the calls of its last response have run, or never will. */
  end(task: string): void {
    this.#open.delete(task);
  }
}

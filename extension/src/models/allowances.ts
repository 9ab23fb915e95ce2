// Which calls winnow_call may make. VS Code offers that tool to every model, and
// does not tell it which chat a call comes from: the call itself names its task.

import { keepLatest } from "../base/latest";

/** How many tasks may have calls that VS Code has not run yet, and perhaps never will. */
const maxTasks = 512;

/** The calls that a routed model made and that VS Code has not run yet. */
export class Allowances {
  /** Names of tools by task, one for each call. */
  readonly #open = new Map<string, string[]>();

  /** Allows one call of a tool, for a task. */
  allow(task: string, tool: string): void {
    keepLatest(this.#open, task, [...(this.#open.get(task) ?? []), tool], maxTasks);
  }

  /** Uses up a task's allowed call of a tool; false when it has none, whatever other tasks have. */
  use(task: string, tool: string): boolean {
    const tools = this.#open.get(task) ?? [];
    const at = tools.indexOf(tool);
    if (at < 0) return false;
    this.#open.set(task, tools.toSpliced(at, 1));
    return true;
  }

  /** Ends what is allowed to a task: the calls of its last answer have run, or never will. */
  end(task: string): void {
    this.#open.delete(task);
  }
}

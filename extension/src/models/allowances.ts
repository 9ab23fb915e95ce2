// Which calls winnow_call may make. VS Code offers that tool to every model, and
// does not tell it which chat a call comes from.

import { keepLatest } from "../latest";

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

  /** The task that a call of a tool is allowed to; undefined when there is none. */
  taskOf(tool: string): string | undefined {
    for (const [task, tools] of this.#open) if (tools.includes(tool)) return task;
    return undefined;
  }

  /** Uses up an allowed call of a tool; false when there is none. */
  use(tool: string): boolean {
    for (const [task, tools] of this.#open) {
      const at = tools.indexOf(tool);
      if (at < 0) continue;
      this.#open.set(task, tools.toSpliced(at, 1));
      return true;
    }
    return false;
  }

  /** Ends what is allowed to a task: the calls of its last answer have run, or never will. */
  end(task: string): void {
    this.#open.delete(task);
  }
}

import * as vscode from "vscode";

/** A step of the walkthrough, as package.json has it in the completion event `onContext:winnow.done.<step>`. */
export type Step = "servers" | "model" | "switch" | "task";

/**
 * The steps of the walkthrough that were done in this window. VS Code ticks one when its context changes, which it hears
 * from when a walkthrough is opened for the first time: what was done before has to be told again.
 */
export class Steps {
  readonly #done = new Set<Step>();

  /** Notes that a step is done. */
  mark(step: Step): void {
    if (this.#done.has(step)) return;
    this.#done.add(step);
    void set(step, true);
  }

  /** Tells VS Code again what is done. */
  async tellAgain(): Promise<void> {
    for (const step of this.#done) {
      await set(step, false);
      await set(step, true);
    }
  }
}

function set(step: Step, done: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand("setContext", `winnow.done.${step}`, done);
}

import * as vscode from "vscode";

/** A step of the walkthrough. package.json completes it on `onContext:winnow.done.<step> == a` and `b`. */
export type Step = "servers" | "model" | "switch" | "task";

/**
 * The steps of the walkthrough that were completed in this window. VS Code completes a step when its context becomes
 * true, but not if it was true before a walkthrough is first opened. So each step has two contexts that alternate:
 * one of them always becomes true.
 */
export class Steps {
  readonly #done = new Map<Step, "a" | "b">();

  /** Marks a step as done, once or again. */
  mark(step: Step): void {
    const value = this.#done.get(step) === "a" ? "b" : "a";
    this.#done.set(step, value);
    void vscode.commands.executeCommand("setContext", `winnow.done.${step}`, value);
  }

  /** Marks all done steps again, after a walkthrough was opened. */
  tellAgain(): void {
    for (const step of this.#done.keys()) this.mark(step);
  }
}

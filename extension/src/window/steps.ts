import * as vscode from "vscode";

/** A step of the walkthrough, as package.json has it in the completion events `onContext:winnow.done.<step> == a` and `b`. */
export type Step = "servers" | "model" | "switch" | "task";

/**
 * The steps of the walkthrough that were done in this window. VS Code ticks one when its context begins to hold, but never
 * where it holds already when a walkthrough is opened for the first time. So each step has two contexts, which hold in
 * turn: one of them begins to hold afterwards.
 */
export class Steps {
  readonly #done = new Map<Step, "a" | "b">();

  /** Notes that a step is done, once or again. */
  mark(step: Step): void {
    const value = this.#done.get(step) === "a" ? "b" : "a";
    this.#done.set(step, value);
    void vscode.commands.executeCommand("setContext", `winnow.done.${step}`, value);
  }

  /** Tells VS Code again what is done: a walkthrough was opened. */
  tellAgain(): void {
    for (const step of this.#done.keys()) this.mark(step);
  }
}

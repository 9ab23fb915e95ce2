import * as vscode from "vscode";
import { Deferred } from "../daemon/deferred";
import type { ProgressParams } from "../protocol.gen";

/** What the tokens of starting servers begin with. */
const serverToken = "server:";

/** Shows in the status bar which servers are being started. */
export class StartProgress implements vscode.Disposable {
  readonly #starting = new Set<string>();
  #report: ((message: string) => void) | undefined;
  #done: (() => void) | undefined;

  /** Takes $/progress. */
  note({ token, value }: ProgressParams): void {
    if (!token.startsWith(serverToken)) return;
    const name = token.slice(serverToken.length);
    if (value.kind === "end") this.#starting.delete(name);
    else this.#starting.add(name);
    this.#show();
  }

  /** Nothing is being started any more: the daemon is gone. */
  clear(): void {
    this.#starting.clear();
    this.#show();
  }

  dispose(): void {
    this.clear();
  }

  #show(): void {
    if (this.#starting.size === 0) {
      this.#done?.();
      this.#done = this.#report = undefined;
      return;
    }
    if (this.#done === undefined) {
      const done = new Deferred<void>();
      this.#done = () => done.resolve();
      void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "Winnow" }, (progress) => {
        this.#report = (message) => progress.report({ message });
        this.#report(this.#message());
        return done.promise;
      });
    }
    this.#report?.(this.#message());
  }

  #message(): string {
    return `starting ${[...this.#starting].join(", ")}`;
  }
}

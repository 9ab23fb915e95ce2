import * as vscode from "vscode";
import { Deferred } from "../base/deferred";
import type { ProgressParams } from "../protocol/protocol.gen";

/** The prefix of the tokens of starting servers. */
const serverToken = "server:";

/** Shows the starting servers in the status bar. */
export class StartProgress implements vscode.Disposable {
  /** Ends the progress of a server, by token. */
  readonly #starting = new Map<string, Deferred<void>>();

  /** Handles $/progress. */
  note({ token, value }: ProgressParams): void {
    if (value.kind === "end") {
      this.#starting.get(token)?.resolve();
      this.#starting.delete(token);
    } else if (token.startsWith(serverToken) && !this.#starting.has(token)) {
      const done = new Deferred<void>();
      this.#starting.set(token, done);
      const title = `Winnow: starting ${token.slice(serverToken.length)}`;
      void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => done.promise);
    }
  }

  /** Ends all progress, because the daemon is gone. */
  dispose(): void {
    for (const done of this.#starting.values()) done.resolve();
    this.#starting.clear();
  }
}

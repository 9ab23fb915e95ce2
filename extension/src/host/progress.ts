import * as vscode from "vscode";
import { Deferred } from "../base/deferred";
import type { ProgressParams } from "../protocol/protocol.gen";

/** What the tokens of starting servers begin with. */
const serverToken = "server:";

/** Shows in the status bar which servers are being started. */
export class StartProgress implements vscode.Disposable {
  /** What ends the progress of each, by its token. */
  readonly #starting = new Map<string, Deferred<void>>();

  /** Takes $/progress. */
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

  /** Nothing is being started any more: the daemon is gone. */
  dispose(): void {
    for (const done of this.#starting.values()) done.resolve();
    this.#starting.clear();
  }
}

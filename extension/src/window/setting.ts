import * as vscode from "vscode";
import { Deferred } from "../base/deferred";
import type { Daemon } from "../daemon/client";
import { type Settings, SettingsInForce } from "../protocol/protocol.gen";

/** The settings that count, of what the user, the workspace and the files say: the daemon decides it. */
export class InForce implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Settings>();
  readonly onDidChange = this.#changed.event;
  /** Settled once the daemon has said it, or does not start. */
  readonly #said = new Deferred<void>();
  readonly #subscriptions: readonly { dispose(): unknown }[];
  #settings: Settings | undefined;

  constructor(daemon: Daemon) {
    this.#subscriptions = [
      daemon.onNotification(SettingsInForce, (settings) => {
        this.#settings = settings;
        this.#said.resolve();
        this.#changed.fire(settings);
      }),
      daemon.onDidChangeState(({ kind }) => {
        if (kind === "stopped") this.#said.resolve();
      }),
    ];
  }

  /** What counts now; undefined while no daemon has started. */
  async get(): Promise<Settings | undefined> {
    await this.#said.promise;
    return this.#settings;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }
}

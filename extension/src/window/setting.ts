import * as vscode from "vscode";
import { Deferred } from "../base/deferred";
import type { Daemon } from "../daemon/client";
import { type Settings, SettingsInForce } from "../protocol/protocol.gen";

/** The settings in force. The daemon computes them from those of the user, the workspace and the files. */
export class InForce implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Settings>();
  readonly onDidChange = this.#changed.event;
  /** Settled once the daemon has sent the settings, or has not started. */
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

  /** Returns the settings in force; undefined if no daemon has started. */
  async get(): Promise<Settings | undefined> {
    await this.#said.promise;
    return this.#settings;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }
}

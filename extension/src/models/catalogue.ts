// The language models of this window that have a twin. VS Code requests the twins at times when it must not be called
// back, so the list is kept ready.

import * as vscode from "vscode";
import type { InForce } from "../window/setting";
import { type ModelInfo, type Twin, hasTwin, twinId, twinOf, vendorsOf } from "./twins";
import { Vendors } from "./vendors";

/** The timeout of one vendor in milliseconds. VS Code gives a provider the same time. */
const vendorTimeout = 10_000;

/** The twins and the models behind them. */
export class Catalogue implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires only when the twins have changed: otherwise VS Code would request them again and again. */
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable[];
  readonly #log: vscode.LogOutputChannel;
  readonly #settings: InForce;
  readonly #vendors: Vendors<vscode.LanguageModelChat & ModelInfo>;
  #twins: Twin[] = [];
  #models = new Map<string, vscode.LanguageModelChat>();
  /** The refresh under way, and whether another must follow. */
  #refreshing: Promise<void> | undefined;
  #again = false;

  constructor(log: vscode.LogOutputChannel, settings: InForce) {
    this.#log = log;
    this.#settings = settings;
    this.#vendors = new Vendors<vscode.LanguageModelChat & ModelInfo>({
      ask: (vendor) => vscode.lm.selectChatModels({ vendor }),
      timeout: vendorTimeout,
      late: () => void this.refresh(),
      warn: (text) => log.warn(text),
    });
    this.#subscriptions = [
      vscode.lm.onDidChangeChatModels(() => void this.refresh()),
      vscode.extensions.onDidChange(() => void this.refresh()),
      settings.onDidChange(() => void this.refresh()),
    ];
  }

  /** The twins found by the last refresh. */
  get twins(): readonly Twin[] {
    return this.#twins;
  }

  /** Returns the model behind a twin; undefined if it is gone. */
  model(id: string): vscode.LanguageModelChat | undefined {
    return this.#models.get(id);
  }

  /** Requests the models of every vendor. Calls during a refresh cause one more. */
  async refresh(): Promise<void> {
    this.#again = true;
    this.#refreshing ??= this.#refreshAll().finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  async #refreshAll(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#refreshOnce();
    }
  }

  async #refreshOnce(): Promise<void> {
    const vendors = vendorsOf(vscode.extensions.all.map((extension) => extension.packageJSON as object));
    const found = await Promise.all(vendors.map((vendor) => this.#vendors.models(vendor)));
    const copilot = (await this.#settings.get())?.routedModels.copilot === true;
    // Two configurations of a vendor may list the same model.
    const models = new Map<string, vscode.LanguageModelChat>();
    for (const model of found.flat()) if (hasTwin(model, copilot)) models.set(twinId(model), model);
    const twins = [...models.values()].map(twinOf);
    this.#models = models;
    if (JSON.stringify(twins) === JSON.stringify(this.#twins)) return;
    this.#twins = twins;
    this.#log.info(`routed models: ${twins.map((twin) => twin.id).join(", ") || "none"}`);
    this.#changed.fire();
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions, this.#changed).dispose();
  }
}

// What the extension itself knows of tasks, from the faces that work on them.

import { type Disposable, Emitter, type Event } from "vscode-jsonrpc";
import type { UsageSection } from "../protocol.gen";

/** What a face knows of a task. */
export interface KnownTask {
  readonly title?: string;
  readonly model?: string;
  /** What its requests hold besides MCP tools, in estimated tokens. */
  readonly sections: readonly UsageSection[];
}

/** The tasks of one face, by id. */
export interface TaskSource {
  readonly tasks: ReadonlyMap<string, KnownTask>;
  readonly onDidChange: Event<void>;
}

/** All that is known of tasks. */
export class TaskFacts implements Disposable {
  readonly #sources: readonly TaskSource[];
  readonly #changes = new Emitter<void>();
  readonly #subscriptions: Disposable[];
  readonly onDidChange = this.#changes.event;

  constructor(sources: readonly TaskSource[]) {
    this.#sources = sources;
    this.#subscriptions = sources.map((source) =>
      source.onDidChange(() => {
        this.#changes.fire();
      }),
    );
  }

  /** What is known of a task; undefined where no face of this window works on it. */
  of(task: string): KnownTask | undefined {
    for (const { tasks } of this.#sources) {
      const known = tasks.get(task);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changes.dispose();
  }
}

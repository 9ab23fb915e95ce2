// What the faces of this window, routed models and @winnow, know of their
// tasks: for the views.

import { type Disposable, Emitter } from "vscode-jsonrpc";
import { keepLatest } from "../base/latest";
import type { Attachment, UsageSection } from "../protocol/protocol.gen";

/** What a chat works with: a routed model in VS Code's own agent, or @winnow. */
export type Face = "model" | "participant";

/** The newest request of a task, as the views see it. */
export interface RoutedTask {
  readonly face: Face;
  /** The daemon's id of the task. */
  readonly task: string;
  /** The beginning of the task's first message, on one line. It is the user's text: show it, never log it. */
  readonly title?: string;
  /** The name of the model that answers, without "(Winnow)". */
  readonly model: string;
  readonly attachment: Attachment;
  /**
   * What the request holds besides MCP tools, in tokens: "System prompt", "Conversation" and "VS Code's tools".
   * They fit task/usage as they are.
   */
  readonly sections: readonly UsageSection[];
}

/** How many tasks are kept. The one that was routed longest ago gives way. */
export const maxSessions = 128;

/** The tasks of this window. The faces write it, the views read it. */
export class Sessions implements Disposable {
  readonly #tasks = new Map<string, RoutedTask>();
  readonly #changed = new Emitter<void>();
  /** Fires after each request that was routed, and after each load within one. */
  readonly onDidChange = this.#changed.event;

  /** What is known of a task; undefined where no face of this window works on it. */
  of(task: string): RoutedTask | undefined {
    return this.#tasks.get(task);
  }

  /** The task that was routed last for a face and a model; undefined where there is none. */
  latest(face: Face, model: string): RoutedTask | undefined {
    return [...this.#tasks.values()].findLast((task) => task.face === face && task.model === model);
  }

  /** Notes a request. A task keeps the title that it began with. */
  route(task: RoutedTask): void {
    const title = this.of(task.task)?.title ?? task.title;
    const next = title === undefined ? task : { ...task, title };
    keepLatest(this.#tasks, task.task, next, maxSessions);
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

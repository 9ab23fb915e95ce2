// What the routed models did, for the views: the newest attachment of each
// task, and where its context goes.

import { type Disposable, Emitter, type Event } from "vscode-jsonrpc/node";
import { keepLatest } from "../latest";
import type { Attachment, UsageSection } from "../protocol.gen";

/** A request of a routed model, as the views see it. */
export interface RoutedTask {
  /** The daemon's id of the task. */
  readonly task: string;
  /** The beginning of the task's first message, on one line. It is the user's text: show it, never log it. */
  readonly title?: string;
  /** The name of the model that answers, without "(Winnow)". */
  readonly model: string;
  readonly attachment: Attachment;
  /**
   * What the request holds besides MCP tools, in estimated tokens: "System prompt", "Conversation" and "VS Code's tools".
   * They fit task/usage as they are.
   */
  readonly sections: readonly UsageSection[];
}

/** The tasks of the routed models. */
export interface RoutedSessions {
  /** By task id, the one routed last at the end. */
  readonly tasks: ReadonlyMap<string, RoutedTask>;
  /** Fires after each request that was routed, and after each load within one. */
  readonly onDidChange: Event<void>;
}

/** How many tasks are kept. The one that was routed longest ago gives way. */
export const maxSessions = 64;

/** The store behind RoutedSessions. The provider writes it, the views read it. */
export class SessionStore implements RoutedSessions, Disposable {
  readonly #tasks = new Map<string, RoutedTask>();
  readonly #changed = new Emitter<void>();

  readonly tasks: ReadonlyMap<string, RoutedTask> = this.#tasks;
  readonly onDidChange = this.#changed.event;

  /** Notes a request. A task keeps the title that it began with. */
  route(task: RoutedTask): void {
    const title = this.#tasks.get(task.task)?.title ?? task.title;
    const next = title === undefined ? task : { ...task, title };
    keepLatest(this.#tasks, task.task, next, maxSessions);
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

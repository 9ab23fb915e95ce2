// The tasks of this window's faces, routed models and @winnow, for the views.

import { type Disposable, Emitter } from "vscode-jsonrpc";
import { keepLatest } from "../base/latest";
import type { Attachment, UsageSection } from "../protocol/protocol.gen";

/** The face of a chat: a routed model in VS Code's own agent, or @winnow. */
export type Face = "model" | "participant";

/** The latest request of a task, for the views. */
export interface RoutedTask {
  readonly face: Face;
  /** The daemon's id of the task. */
  readonly task: string;
  /** The beginning of the task's first message, on one line. It is the user's text: show it, never log it. */
  readonly title?: string;
  /** The model's name without "(Winnow)". */
  readonly model: string;
  readonly attachment: Attachment;
  /**
   * The parts of the request other than MCP tools, in tokens: "System prompt", "Conversation" and "VS Code's tools".
   * They are valid params of task/usage.
   */
  readonly sections: readonly UsageSection[];
}

/** The most tasks kept. The one routed longest ago is evicted. */
export const maxSessions = 128;

/** The tasks of this window. Faces write them, views read them. */
export class Sessions implements Disposable {
  readonly #tasks = new Map<string, RoutedTask>();
  readonly #changed = new Emitter<void>();
  /** Fires after each routed request, and after each load within one. */
  readonly onDidChange = this.#changed.event;

  /** Returns a task; undefined if no face of this window has it. */
  of(task: string): RoutedTask | undefined {
    return this.#tasks.get(task);
  }

  /** Returns the last routed task of a face and a model, if any. */
  latest(face: Face, model: string): RoutedTask | undefined {
    return [...this.#tasks.values()].findLast((task) => task.face === face && task.model === model);
  }

  /** Records a request. A task keeps its first title. */
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

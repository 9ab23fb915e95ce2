import { keepLatest } from "../base/latest";
import type {
  Attachment,
  ModeSetParams,
  SetHostToolsParams,
  TaskParams,
  TaskResumeParams,
  TaskState,
} from "../protocol/protocol.gen";
import {
  ConversationCall,
  ConversationRoute,
  ModeSet,
  SetHostTools,
  TaskCall,
  TaskClose,
  TaskCompact,
  TaskLoad,
  TaskOpen,
  TaskResume,
  TaskTurn,
} from "../protocol/protocol.gen";

/** How many tasks are remembered, as many as a daemon keeps open. */
const maxTasks = 512;

/** How many host tool lists are remembered. */
const maxSources = 64;

/** The requests whose answers hold the state of a task when they are asked for it. */
const statefulMethods: readonly string[] = [TaskOpen, TaskTurn, TaskCompact, TaskResume, TaskLoad, TaskCall].map(
  ({ method }) => method,
);

/** A request to send again. */
export type Replay =
  { type: typeof SetHostTools; params: SetHostToolsParams } | { type: typeof TaskResume; params: TaskResumeParams };

/**
 * What a new daemon has to be told so that it goes on where the one that
 * crashed stopped. It watches requests and their results pass by.
 */
export class SessionMemory {
  readonly #hostTools = new Map<string, SetHostToolsParams>();
  readonly #states = new Map<string, TaskState>();
  /** The mode that was set last; undefined when none was. */
  mode: string | undefined;

  /** The params of a request that asks for all that is noted: a task can only be given back by its state. */
  paramsOf<P>(method: string, params: P): P {
    return statefulMethods.includes(method) ? { ...params, wantState: true } : params;
  }

  /**
   * Notes a request that the daemon has answered.
   *
   * @returns whether it changed anything that is kept here: a task, the mode, a list of the host's tools.
   */
  note(method: string, params: unknown, result: unknown): boolean {
    switch (method) {
      case SetHostTools.method: {
        const list = params as SetHostToolsParams;
        keepLatest(this.#hostTools, list.source, list, maxSources);
        return true;
      }
      case ModeSet.method:
        this.mode = (params as ModeSetParams).mode;
        return true;
      case ConversationRoute.method:
      case ConversationCall.method:
        return true; // the daemon itself keeps these tasks
      case TaskClose.method:
        return this.#states.delete((params as TaskParams).task);
      default: {
        const state = stateIn(result);
        if (state === undefined) return false;
        // A conversation's task the daemon itself keeps, through turns that do not pass here.
        if (state.conversation === undefined && state.messages === undefined)
          keepLatest(this.#states, state.task, state, maxTasks);
        return true;
      }
    }
  }

  /** The requests to send again: the host's tools first, which the tasks need. */
  replay(): Replay[] {
    return [
      ...[...this.#hostTools.values()].map((params) => ({ type: SetHostTools, params })),
      ...[...this.#states.values()].map((state) => ({ type: TaskResume, params: { state } })),
    ];
  }
}

/** Finds the state in a result that is an attachment or has one. */
function stateIn(result: unknown): TaskState | undefined {
  if (typeof result !== "object" || result === null) return undefined;
  const attachment = ("attachment" in result ? result.attachment : result) as Partial<Attachment> | null | undefined;
  const state = attachment?.state;
  return typeof state === "object" ? state : undefined;
}

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

/** The most tasks kept; a daemon keeps as many open. */
const maxTasks = 512;

/** The most lists of host tools kept. */
const maxSources = 64;

/** The requests whose results contain the state of a task on request. */
const statefulMethods: readonly string[] = [TaskOpen, TaskTurn, TaskCompact, TaskResume, TaskLoad, TaskCall].map(
  ({ method }) => method,
);

/** A request to send again. */
export type Replay =
  { type: typeof SetHostTools; params: SetHostToolsParams } | { type: typeof TaskResume; params: TaskResumeParams };

/** Records what a new daemon needs to continue after a crash. It observes requests and their results. */
export class SessionMemory {
  readonly #hostTools = new Map<string, SetHostToolsParams>();
  readonly #states = new Map<string, TaskState>();
  /** The last mode that was set; undefined if none was. */
  mode: string | undefined;

  /** Returns the params that also request the state of the task, from which it can be resumed. */
  paramsOf<P>(method: string, params: P): P {
    return statefulMethods.includes(method) ? { ...params, wantState: true } : params;
  }

  /**
   * Records a request that the daemon has answered.
   *
   * @returns whether it changed recorded data: a task, the mode, or a list of host tools
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
        return true; // the daemon stores these tasks
      case TaskClose.method:
        return this.#states.delete((params as TaskParams).task);
      default: {
        const state = stateIn(result);
        if (state === undefined) return false;
        // The daemon stores a conversation's task, whose turns are not all observed here.
        if (state.conversation === undefined && state.messages === undefined)
          keepLatest(this.#states, state.task, state, maxTasks);
        return true;
      }
    }
  }

  /** Returns the requests to repeat: the host's tools first, because tasks need them. */
  replay(): Replay[] {
    return [
      ...[...this.#hostTools.values()].map((params) => ({ type: SetHostTools, params })),
      ...[...this.#states.values()].map((state) => ({ type: TaskResume, params: { state } })),
    ];
  }
}

/** Returns the state in a result that is, or contains, an attachment. */
function stateIn(result: unknown): TaskState | undefined {
  if (typeof result !== "object" || result === null) return undefined;
  const attachment = ("attachment" in result ? result.attachment : result) as Partial<Attachment> | null | undefined;
  const state = attachment?.state;
  return typeof state === "object" ? state : undefined;
}

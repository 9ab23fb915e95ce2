import type { CancellationToken } from "vscode-jsonrpc";
import type { Daemon } from "../daemon/client";
import { keepLatest } from "../latest";
import {
  type Attachment,
  type ModelLimits,
  type ServerInfo,
  ServerWait,
  TaskCompact,
  TaskOpen,
  type TaskState,
  TaskTurn,
} from "../protocol.gen";

/** How long the first message waits for servers that are starting, in milliseconds. */
const startTimeout = 15_000;

/** How many chats are remembered, as many as a daemon keeps tasks open. Those used longest ago give way. */
export const maxChats = 512;

/** The tasks of the chats. A chat carries the state of its task; the daemon has it open, or opens it again. */
export class ChatTasks {
  readonly #daemon: Daemon;
  readonly #source: () => Promise<string>;

  /** @param source names the list of servers that a task chooses from; empty is the daemon's own */
  constructor(daemon: Daemon, source: () => Promise<string> = () => Promise.resolve("")) {
    this.#daemon = daemon;
    this.#source = source;
  }

  /** Takes a turn of a chat's task, or opens one for its first message. */
  async turn(state: TaskState | undefined, message: string, model: ModelLimits): Promise<Attachment> {
    const source = await this.#source();
    if (state === undefined) return this.#daemon.request(TaskOpen, { message, model, source });
    const { task } = await this.resume(state);
    return this.#daemon.request(TaskTurn, { task, message, model, source });
  }

  /** Tells that the model's memory was cut, so that the tools may be chosen afresh. */
  async compact(state: TaskState, message: string): Promise<TaskState> {
    const { task } = await this.resume(state);
    return (await this.#daemon.request(TaskCompact, { task, message })).state ?? state;
  }

  /** Makes sure that the daemon has a task at the point where the chat has it, and returns what is attached. */
  async resume(state: TaskState): Promise<Attachment> {
    // The list that the task had may be gone with an earlier session.
    return this.#daemon.request(TaskOpen, { message: "", state: { ...state, source: await this.#source() } });
  }
}

/** The tools that the user has allowed for one chat, by its task. */
export class ChatAllowances {
  readonly #allowed = new Map<string, Set<string>>();

  /** What is allowed in a chat; what is added to it is allowed from then on. */
  of(task: string): Set<string> {
    const allowed = this.#allowed.get(task) ?? new Set();
    keepLatest(this.#allowed, task, allowed, maxChats);
    return allowed;
  }
}

/**
 * Waits until no server is starting, for a while, and returns the servers.
 *
 * @param onWait is called when there is something to wait for
 */
export async function serversUp(
  daemon: Daemon,
  token: CancellationToken,
  onWait: (names: string[]) => void,
): Promise<ServerInfo[]> {
  const { servers, starting } = await daemon.request(ServerWait, { timeoutMs: 0 }, token);
  if (starting.length === 0) return servers;
  onWait(starting);
  return (await daemon.request(ServerWait, { timeoutMs: startTimeout }, token)).servers;
}

/** Waits until a server can be called, for a while: after a crash of the daemon it is started anew. */
export async function serverReady(daemon: Daemon, name: string, token: CancellationToken): Promise<void> {
  await daemon.request(ServerWait, { name, timeoutMs: startTimeout }, token);
}

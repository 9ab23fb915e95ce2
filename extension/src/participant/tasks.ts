import type { CancellationToken, Disposable } from "vscode-jsonrpc";
import type { Daemon } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import { keepLatest } from "../latest";
import {
  type Attachment,
  CatalogDidChange,
  CatalogList,
  type ModelLimits,
  type ServerInfo,
  TaskCompact,
  TaskOpen,
  type TaskState,
  TaskTurn,
} from "../protocol.gen";

/** How long the first message waits for servers that are starting, in milliseconds. */
const startTimeout = 15_000;

/** How many chats are remembered, as many as a daemon keeps tasks open. Those used longest ago give way. */
export const maxChats = 512;

/** The tasks of the chats. A chat carries the state of its task; the daemon may have it open, or not any more. */
export class ChatTasks {
  readonly #daemon: Daemon;
  readonly #source: () => Promise<string>;
  /** The tasks that the daemon has open, with the point that each has reached. */
  readonly #open = new Map<string, string>();

  /** @param source names the list of servers that a task chooses from; empty is the daemon's own */
  constructor(daemon: Daemon, source: () => Promise<string> = () => Promise.resolve("")) {
    this.#daemon = daemon;
    this.#source = source;
  }

  /** Takes a turn of a chat's task, or opens one for its first message. */
  async turn(state: TaskState | undefined, message: string, model: ModelLimits): Promise<Attachment> {
    const source = await this.#source();
    if (state === undefined) return this.note(await this.#daemon.request(TaskOpen, { message, model, source }));
    return this.with(state, async (task) =>
      this.note(await this.#daemon.request(TaskTurn, { task, message, model, source })),
    );
  }

  /** Tells that the model's memory was cut, so that the tools may be chosen afresh. */
  async compact(state: TaskState, message: string): Promise<TaskState> {
    const compacted = await this.with(state, (task) => this.#daemon.request(TaskCompact, { task, message }));
    return this.note(compacted).state ?? state;
  }

  /** Makes sure that the daemon has a task at the point where the chat has it, and returns its id. */
  async resume(state: TaskState): Promise<string> {
    if (this.#open.get(state.task) !== pointOf(state)) {
      // The list that the task had may be gone with an earlier session.
      const now = { ...state, source: await this.#source() };
      this.note(await this.#daemon.request(TaskOpen, { message: "", state: now }));
    }
    return state.task;
  }

  /** Does something with a task, once more when the daemon has closed it meanwhile. */
  async with<R>(state: TaskState, work: (task: string) => Promise<R>): Promise<R> {
    try {
      return await work(await this.resume(state));
    } catch (err) {
      if (!(err instanceof DaemonError) || err.data?.kind !== "unknownTask") throw err;
      this.#open.delete(state.task);
      return work(await this.resume(state));
    }
  }

  /** Notes an attachment, and returns it. */
  note(attachment: Attachment): Attachment {
    const { state } = attachment;
    if (state !== undefined) keepLatest(this.#open, state.task, pointOf(state), maxChats);
    return attachment;
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

/** Two states of a task with the same point have the same tools. */
function pointOf({ turn, generation }: TaskState): string {
  return `${turn} ${generation}`;
}

/** The states in which a server will soon have tools. */
const comingUp: readonly string[] = ["configured", "starting"];

/**
 * Waits until no server is starting, for a while, and returns the servers.
 *
 * @param onWait is called once when there is something to wait for
 */
export async function serversUp(
  daemon: Daemon,
  token: CancellationToken,
  onWait: (names: string[]) => void,
): Promise<ServerInfo[]> {
  let waited = false;
  return untilServers(daemon, token, (servers) => {
    const starting = servers.filter(({ state }) => comingUp.includes(state));
    if (starting.length > 0 && !waited) onWait(starting.map(({ name }) => name));
    waited = true;
    return starting.length === 0;
  });
}

/** Waits until a server can be called, for a while: after a crash of the daemon it is started anew. */
export async function serverReady(daemon: Daemon, server: string, token: CancellationToken): Promise<void> {
  await untilServers(daemon, token, (servers) =>
    servers.every(({ name, state }) => name !== server || !(comingUp.includes(state) || state === "known")),
  );
}

/** Waits until something holds of the servers, for a while, and returns them. */
async function untilServers(
  daemon: Daemon,
  token: CancellationToken,
  holds: (servers: readonly ServerInfo[]) => boolean,
): Promise<ServerInfo[]> {
  let wake: () => void = () => undefined;
  const end = Date.now() + startTimeout;
  const timer = setTimeout(() => wake(), startTimeout);
  const owned: Disposable[] = [
    daemon.onNotification(CatalogDidChange, () => wake()),
    token.onCancellationRequested(() => wake()),
  ];
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      const { servers } = await daemon.request(CatalogList, { serversOnly: true }, token);
      if (holds(servers) || Date.now() >= end || token.isCancellationRequested) return servers;
      await changed;
    }
  } finally {
    clearTimeout(timer);
    for (const each of owned) each.dispose();
  }
}

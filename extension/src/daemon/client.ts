import {
  type CancellationToken,
  type Disposable,
  Emitter,
  type Event,
  type HandlerResult,
  type MessageConnection,
  type NotificationType,
  type RequestType,
} from "vscode-jsonrpc";
import { Deferred } from "../base/deferred";
import {
  type ErrorData,
  Initialize,
  type InitializeParams,
  Initialized,
  type LogLevel,
  PROTOCOL_VERSION,
  type ServerIdentity,
  TaskCall,
} from "../protocol/protocol.gen";
import { CrashPolicy } from "./crashes";
import { DaemonError, DaemonGoneError, fromWire } from "./errors";
import { SessionMemory } from "./memory";
import { DaemonProcess } from "./process";
import { ask, inTime, initializeTimeout, otherVersion } from "./requests";

/** The lifecycle state of the daemon. */
export type DaemonState =
  | { kind: "starting" }
  | { kind: "ready"; server: ServerIdentity; pid: number | undefined }
  /** It crashed and is being restarted. */
  | { kind: "restarting"; attempt: number }
  /** It does not run, and only the user can start it. */
  | { kind: "stopped"; error?: DaemonError };

/** Sends requests to the daemon. */
export interface Requester {
  /**
   * Sends a request once the daemon is ready. After a crash the request is repeated once, except a tool call, which
   * may have taken effect.
   *
   * @throws DaemonError
   */
  request<P, R>(type: RequestType<P, R, ErrorData>, params: P, token?: CancellationToken): Promise<R>;
}

/** The daemon for the rest of the extension. */
export interface Daemon extends Requester {
  readonly state: DaemonState;
  readonly onDidChangeState: Event<DaemonState>;
  /** Fires after each response that changed a task, the mode, or a list of host tools, whoever sent the request. */
  readonly onDidChangeSession: Event<void>;
  /** Sends a notification if the daemon runs. */
  notify<P>(type: NotificationType<P>, params: P): void;
  /** Calls handler for each notification of a type, also after a restart. */
  onNotification<P>(type: NotificationType<P>, handler: (params: P) => void): Disposable;
  /** Stops the daemon if it runs, and starts it again. */
  restart(): Promise<void>;
}

/** Options of a DaemonClient. */
export interface ClientOptions {
  /** Returns the daemon's path; throws a DaemonError if there is none. */
  binary: () => Promise<string>;
  /** Returns the params of initialize. Called at each start. */
  initialize: () => Omit<InitializeParams, "protocolVersion">;
  logLevel: () => LogLevel;
  /** Receives each line of the daemon's log. */
  onLog: (line: string) => void;
  /** The timeout of initialize in milliseconds; the default is 30 s. */
  initializeMs?: number;
  now?: () => number;
  sleep?: (ms: number) => Promise<void>;
}

type Register = (connection: MessageConnection) => void;

/** Starts winnowd, communicates with it, and restarts it after a crash with the same tasks. */
export class DaemonClient implements Daemon, Disposable {
  readonly #options: ClientOptions;
  readonly #crashes = new CrashPolicy();
  readonly #memory = new SessionMemory();
  readonly #handlers = new Set<Register>();
  /** The listeners of notifications, by method. */
  readonly #listeners = new Map<string, Emitter<unknown>>();
  readonly #changes = new Emitter<DaemonState>();
  readonly onDidChangeState = this.#changes.event;
  readonly #session = new Emitter<void>();
  readonly onDidChangeSession = this.#session.event;
  #state: DaemonState = { kind: "stopped" };
  /** The process that runs or is being started. */
  #process: DaemonProcess | undefined;
  /** Incremented with each start and stop. Results of an older epoch are ignored. */
  #epoch = 0;
  /** Resolves with the process when it is ready; pending during a restart after a crash. */
  #ready = new Deferred<DaemonProcess>();
  /** Settles when all stopped processes have ended. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get state(): DaemonState {
    return this.#state;
  }

  /** Handles the daemon's requests of a type, also after a restart. */
  onRequest<P, R>(
    type: RequestType<P, R, ErrorData>,
    handler: (params: P, token: CancellationToken) => HandlerResult<R, ErrorData>,
  ): Disposable {
    return this.#register((connection) => connection.onRequest(type, handler));
  }

  onNotification<P>(type: NotificationType<P>, handler: (params: P) => void): Disposable {
    return this.#listenersOf(type).event(handler);
  }

  async request<P, R>(type: RequestType<P, R, ErrorData>, params: P, token?: CancellationToken): Promise<R> {
    try {
      return await this.#send(type, params, token);
    } catch (err) {
      if (!(err instanceof DaemonGoneError) || type.method === TaskCall.method) throw err;
      return await this.#send(type, params, token);
    }
  }

  notify<P>(type: NotificationType<P>, params: P): void {
    this.#ready.promise
      .then((running) => running.connection.sendNotification(type, params as never))
      // A restarted daemon gets everything with initialize.
      .catch(() => undefined);
  }

  /** Starts the daemon unless it runs or is being started. Failures are reported by the state. */
  async start(): Promise<void> {
    if (this.#state.kind !== "stopped") return;
    this.#crashes.reset();
    // Requests made before the first start wait for it.
    if (this.#epoch > 0) this.#ready = new Deferred();
    this.#enter({ kind: "starting" });
    await this.#launch();
  }

  /** Concurrent calls each stop what runs; the last one starts. */
  async restart(): Promise<void> {
    const ended = this.stop();
    const epoch = this.#epoch;
    await ended;
    if (epoch === this.#epoch) await this.start();
  }

  /** Shuts the daemon down, and waits until it is gone. */
  async stop(): Promise<void> {
    this.#ending = Promise.all([this.#ending, this.#process?.end()]);
    this.#halt(new DaemonGoneError("winnowd was stopped"));
    this.#enter({ kind: "stopped" });
    await this.#ending;
  }

  dispose(): void {
    this.#process?.kill();
    this.#halt(new DaemonGoneError("winnowd was stopped"));
    this.#changes.dispose();
    this.#session.dispose();
    for (const listeners of this.#listeners.values()) listeners.dispose();
  }

  /** Returns the emitter for a method, because a connection has only one handler per method. */
  #listenersOf<P>(type: NotificationType<P>): Emitter<P> {
    const known = this.#listeners.get(type.method) as Emitter<P> | undefined;
    if (known !== undefined) return known;
    const listeners = new Emitter<P>();
    this.#listeners.set(type.method, listeners);
    this.#register((connection) =>
      connection.onNotification(type, (params) => {
        listeners.fire(params);
      }),
    );
    return listeners;
  }

  #register(register: Register): Disposable {
    this.#handlers.add(register);
    if (this.#process !== undefined) register(this.#process.connection);
    return { dispose: () => this.#handlers.delete(register) };
  }

  async #send<P, R>(type: RequestType<P, R, ErrorData>, params: P, token?: CancellationToken): Promise<R> {
    const running = await this.#ready.promise;
    try {
      const result = await ask(running, type, this.#memory.paramsOf(type.method, params), token);
      if (this.#memory.note(type.method, params, result)) this.#session.fire();
      return result;
    } catch (err) {
      // A repeated request must not use the ended process.
      if (err instanceof DaemonGoneError) await running.gone;
      throw err;
    }
  }

  /** Starts a process, initializes it, and watches for its end. */
  async #launch(): Promise<void> {
    const epoch = ++this.#epoch;
    let started: DaemonProcess | undefined;
    try {
      const file = await this.#options.binary();
      if (epoch !== this.#epoch) return;
      started = new DaemonProcess(file, { logLevel: this.#options.logLevel(), onLog: this.#options.onLog });
      this.#process = started;
      const server = await this.#open(started);
      if (epoch !== this.#epoch) return;
      this.#enter({ kind: "ready", server, pid: started.pid });
      void started.gone.then((why) => this.#lost(epoch, why));
      this.#ready.resolve(started);
    } catch (err) {
      if (epoch !== this.#epoch) return;
      // The end of the process explains more than the failed request.
      const why = err instanceof DaemonGoneError && started !== undefined ? await started.gone : fromWire(err);
      started?.kill();
      await this.#lost(epoch, why);
    }
  }

  /** Initializes a new process and restores the session. */
  async #open(started: DaemonProcess): Promise<ServerIdentity> {
    for (const register of this.#handlers) register(started.connection);
    started.connection.listen();
    const params: InitializeParams = { ...this.#options.initialize(), protocolVersion: PROTOCOL_VERSION };
    if (this.#memory.mode !== undefined) params.mode = this.#memory.mode;
    const result = await inTime(
      this.#options.initializeMs ?? initializeTimeout,
      ask(started, Initialize, params),
    ).catch((err: unknown) => {
      throw otherVersion(err) ?? err;
    });
    await started.connection.sendNotification(Initialized, {});
    for (const { type, params } of this.#memory.replay()) await this.#replay<unknown, unknown>(started, type, params);
    return result.server;
  }

  /** Repeats a request; a refusal is only logged. */
  async #replay<P, R>(started: DaemonProcess, type: RequestType<P, R, ErrorData>, params: P): Promise<void> {
    try {
      await ask(started, type, params);
    } catch (err) {
      if (err instanceof DaemonGoneError) throw err;
      this.#options.onLog(`after the restart ${type.method} was refused: ${fromWire(err).message}`);
    }
  }

  /** Handles the unexpected end of a process or of an attempt to start one. */
  async #lost(epoch: number, why: DaemonError): Promise<void> {
    if (epoch !== this.#epoch) return;
    this.#process = undefined;
    if (this.#state.kind === "ready") this.#ready = new Deferred();
    // An error with a next step for the user cannot be cured by a retry: no file, another version.
    const delay = why.next === undefined ? this.#crashes.next((this.#options.now ?? Date.now)()) : undefined;
    if (delay === undefined) {
      this.#giveUp(why);
      return;
    }
    this.#options.onLog(`${why.message}; it is started again in ${delay} ms`);
    this.#enter({ kind: "restarting", attempt: this.#crashes.count });
    await (this.#options.sleep ?? pause)(delay);
    if (epoch === this.#epoch) await this.#launch();
  }

  #giveUp(why: DaemonError): void {
    const error =
      why.next === undefined
        ? new DaemonError(`${why.message}, ${this.#crashes.count} times in three minutes`, {
            next: "Look at the log, then restart it.",
            cause: why,
          })
        : why;
    this.#halt(error);
    this.#enter({ kind: "stopped", error });
  }

  /** Rejects pending and later requests. */
  #halt(error: DaemonError): void {
    this.#epoch++;
    this.#process = undefined;
    this.#ready.reject(error);
    this.#ready = new Deferred();
    this.#ready.reject(error);
  }

  #enter(state: DaemonState): void {
    this.#state = state;
    this.#changes.fire(state);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

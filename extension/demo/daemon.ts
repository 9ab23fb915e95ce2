import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  type MessageConnection,
  type NotificationType,
  type RequestParam,
  type RequestType,
  StreamMessageReader,
  StreamMessageWriter,
  createMessageConnection,
} from "vscode-jsonrpc/node";
import { type Empty, type ErrorData, Exit, Shutdown } from "../src/protocol.gen";
import { DemoError } from "./errors";

/** How long the daemon may take to end before it is killed, in milliseconds. */
const endTimeout = 5000;

/** How many of the daemon's last log lines are kept to explain a failure. */
const keptLines = 20;

/** A running winnowd and the connection to it. */
export class Daemon {
  /** The last lines of the daemon's log. */
  readonly log: string[] = [];
  readonly #child: ChildProcess;
  readonly #connection: MessageConnection;
  readonly #ended: Promise<never>;

  /**
   * Starts the program at file.
   *
   * @param abort ends every request that is in flight.
   */
  constructor(file: string, abort: AbortSignal) {
    // A group of its own: Ctrl-C in the terminal is for us, and we end it in order.
    const child = spawn(file, [], { stdio: ["pipe", "pipe", "pipe"], detached: process.platform !== "win32" });
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.log.push(...text.trimEnd().split("\n"));
      this.log.splice(0, this.log.length - keptLines);
    });
    // A broken pipe is told by the end of the process.
    child.stdin.on("error", () => undefined);
    this.#connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    this.#connection.listen();
    this.#ended = new Promise((_, reject) => {
      abort.addEventListener("abort", () => {
        reject(abort.reason as Error);
      });
      child.on("error", (err) => {
        reject(new DemoError(`start ${file}: ${err.message}`));
      });
      child.on("exit", (code, signal) => {
        reject(new DemoError(`winnowd ended by itself: ${signal ?? `exit code ${String(code)}`}`));
      });
    });
    // Nobody may be waiting when it ends.
    this.#ended.catch(() => undefined);
  }

  /** Sends a request and resolves with its result. */
  async request<P, R>(type: RequestType<P, R, ErrorData>, params: RequestParam<P>): Promise<R> {
    return Promise.race([this.#connection.sendRequest(type, params), this.#ended]);
  }

  /** Sends a notification. */
  async notify<P>(type: NotificationType<P>, params: RequestParam<P>): Promise<void> {
    await this.#connection.sendNotification(type, params);
  }

  /** Calls handler for each notification of a type. */
  on<P>(type: NotificationType<P>, handler: (params: P) => void): void {
    this.#connection.onNotification(type, handler);
  }

  /** Waits for something that a notification brings about. */
  async until<T>(happened: Promise<T>): Promise<T> {
    return Promise.race([happened, this.#ended]);
  }

  /**
   * Ends the daemon and, with it, every server it runs.
   *
   * @throws DemoError when it had to be killed.
   */
  async close(): Promise<void> {
    const child = this.#child;
    if (child.pid === undefined) return; // never started
    const kill = setTimeout(() => child.kill("SIGKILL"), endTimeout);
    try {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit");
        const empty: Empty = {};
        this.#connection
          .sendRequest(Shutdown, empty)
          .then(() => this.#connection.sendNotification(Exit, empty))
          .catch(() => child.kill("SIGTERM"));
        await exited;
      }
    } finally {
      clearTimeout(kill);
      this.#connection.dispose();
    }
    if (child.signalCode === "SIGKILL") throw new DemoError("winnowd did not end when told to, and was killed");
  }
}

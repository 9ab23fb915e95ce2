import type { NotificationType, RequestType } from "vscode-jsonrpc";
import { DaemonGoneError } from "../src/daemon/errors";
import { DaemonProcess } from "../src/daemon/process";
import { ask } from "../src/daemon/requests";
import type { ErrorData } from "../src/protocol/protocol.gen";

/** How many of the daemon's last log lines are kept to explain a failure. */
const keptLines = 20;

/** The extension's client of one process, whose end ends whatever waits. */
export class Daemon {
  /** The last lines of the daemon's log. */
  readonly log: string[] = [];
  readonly #process: DaemonProcess;
  readonly #ended: Promise<never>;

  /**
   * Starts the program at file.
   *
   * @param abort ends every request that is in flight.
   */
  constructor(file: string, abort: AbortSignal) {
    this.#process = new DaemonProcess(file, {
      logLevel: "info",
      onLog: (line) => {
        this.log.push(line);
        this.log.splice(0, this.log.length - keptLines);
      },
    });
    this.#process.connection.listen();
    this.#ended = new Promise((_, reject) => {
      abort.addEventListener("abort", () => reject(abort.reason as Error));
      void this.#process.gone.then(reject);
    });
    // Nobody may be waiting when it ends.
    this.#ended.catch(() => undefined);
  }

  /** Sends a request and resolves with its result. */
  async request<P, R>(type: RequestType<P, R, ErrorData>, params: P): Promise<R> {
    return this.until(
      ask(this.#process, type, params).catch(async (err: unknown) => {
        throw err instanceof DaemonGoneError ? await this.#process.gone : err;
      }),
    );
  }

  /** Sends a notification. */
  async notify<P>(type: NotificationType<P>, params: P): Promise<void> {
    await this.#process.connection.sendNotification(type, params as never);
  }

  /** Calls handler for each notification of a type. */
  on<P>(type: NotificationType<P>, handler: (params: P) => void): void {
    this.#process.connection.onNotification(type, handler);
  }

  /** Waits for something that a notification brings about. */
  async until<T>(happened: Promise<T>): Promise<T> {
    return Promise.race([happened, this.#ended]);
  }

  /** Ends the daemon and, with it, every server it runs. */
  async close(): Promise<void> {
    await this.#process.end();
  }
}

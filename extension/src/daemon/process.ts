import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import {
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  createMessageConnection,
} from "vscode-jsonrpc/node";
import { type Empty, Exit, type LogLevel, Shutdown } from "../protocol/protocol.gen";
import { startError } from "./binary";
import { DaemonError } from "./errors";

/** How long the daemon may take to exit before it is killed, in milliseconds. */
const endTimeout = 5000;

/** Options of a process. */
export interface ProcessOptions {
  /** The lowest level that the daemon logs. */
  logLevel: LogLevel;
  /** Receives each line that the daemon writes to stderr. */
  onLog: (line: string) => void;
}

/** A winnowd process and the connection to it. */
export class DaemonProcess {
  /** The connection. The caller must call listen after it has set the handlers. */
  readonly connection: MessageConnection;
  /**
   * Resolves with the reason when the process is gone. The reason has a next step if the process could not be
   * started.
   */
  readonly gone: Promise<DaemonError>;
  readonly #child: ChildProcess;

  constructor(file: string, options: ProcessOptions) {
    // A process group of its own, so that a Ctrl-C in the editor's terminal does not reach it.
    const child = spawn(file, ["-log", options.logLevel], {
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    this.#child = child;
    createInterface({ input: child.stderr }).on("line", options.onLog);
    // Ignored: the end of the process reports a broken pipe.
    child.stdin.on("error", () => undefined);
    this.connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    // A stream that breaks off or is not the protocol ends the process.
    this.connection.onError(([err]) => {
      options.onLog(`the connection to winnowd failed: ${err.message}`);
      child.kill("SIGKILL");
    });
    this.gone = ended(file, child).finally(() => {
      // Rejects all pending requests.
      this.connection.dispose();
    });
  }

  /** The process id, for the log. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Shuts the daemon down with all its servers, and waits for its exit. */
  async end(): Promise<void> {
    if (this.#child.pid === undefined || !isAlive(this.#child)) return;
    const kill = setTimeout(() => this.#child.kill("SIGKILL"), endTimeout);
    try {
      const empty: Empty = {};
      this.connection
        .sendRequest(Shutdown, empty)
        .then(() => this.connection.sendNotification(Exit, empty))
        .catch(() => this.#child.kill("SIGTERM"));
      await this.gone;
    } finally {
      clearTimeout(kill);
    }
  }

  /** Kills the daemon. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Waits for the end of the process and returns the reason. */
async function ended(file: string, child: ChildProcess): Promise<DaemonError> {
  try {
    // "close" follows "exit", after all output was read.
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    return new DaemonError(`winnowd ended by itself (${signal ?? `exit code ${String(code)}`})`);
  } catch (err) {
    return startError(file, err as NodeJS.ErrnoException);
  }
}

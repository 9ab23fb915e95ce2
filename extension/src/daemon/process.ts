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

/** How long the daemon may take to end before it is killed, in milliseconds. */
const endTimeout = 5000;

/** Settings of a process. */
export interface ProcessOptions {
  /** The lowest level that the daemon logs. */
  logLevel: LogLevel;
  /** Receives each line that the daemon writes to stderr. */
  onLog: (line: string) => void;
}

/** One running winnowd and the connection to it. */
export class DaemonProcess {
  /** The connection; it listens once the handlers are set. */
  readonly connection: MessageConnection;
  /**
   * Resolves when the process is gone, with the reason. It is a DaemonError
   * with a next step when the process could not even be started.
   */
  readonly gone: Promise<DaemonError>;
  readonly #child: ChildProcess;

  constructor(file: string, options: ProcessOptions) {
    // A group of its own: a Ctrl-C in the terminal of an editor is not for it.
    const child = spawn(file, ["-log", options.logLevel], {
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    this.#child = child;
    createInterface({ input: child.stderr }).on("line", options.onLog);
    // A broken pipe is told by the end of the process.
    child.stdin.on("error", () => undefined);
    this.connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    // So is a stream that breaks off, or that is no protocol at all.
    this.connection.onError(([err]) => {
      options.onLog(`the connection to winnowd failed: ${err.message}`);
      child.kill("SIGKILL");
    });
    this.gone = ended(file, child).finally(() => {
      // Ends every request that waits.
      this.connection.dispose();
    });
  }

  /** The process id, for logs. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Ends the daemon and, with it, every server it runs. */
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

  /** Ends the daemon at once. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Waits for the end of the process and says how it came. */
async function ended(file: string, child: ChildProcess): Promise<DaemonError> {
  try {
    // "close" comes after "exit", when its last words have been read.
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    return new DaemonError(`winnowd ended by itself (${signal ?? `exit code ${String(code)}`})`);
  } catch (err) {
    return startError(file, err as NodeJS.ErrnoException);
  }
}

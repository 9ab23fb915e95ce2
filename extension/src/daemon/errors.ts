import { ResponseError } from "vscode-jsonrpc";
import { Code, type ErrorData } from "../protocol/protocol.gen";

/** The details of a {@link DaemonError}. */
export interface DaemonErrorDetails {
  /** The JSON-RPC code if the daemon returned the error. */
  code?: number | undefined;
  /** The error's data from the daemon. */
  data?: ErrorData | undefined;
  /** The user's next step. */
  next?: string | undefined;
  cause?: unknown;
}

/** An error for the user: the message says what happened, `next` what to do. */
export class DaemonError extends Error {
  override readonly name = "DaemonError";
  readonly code: number | undefined;
  readonly data: ErrorData | undefined;
  readonly next: string | undefined;

  constructor(message: string, details: DaemonErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.data = details.data;
    this.next = details.next ?? details.data?.next;
  }

  /** The message and the next step, as one text. */
  get text(): string {
    return this.next === undefined ? this.message : `${this.message}. ${this.next}`;
  }
}

/** The daemon ended before it responded. */
export class DaemonGoneError extends DaemonError {}

/** Reports whether a request was cancelled by the user or the host. */
export function isCancelled(err: unknown): boolean {
  return (err instanceof DaemonError || err instanceof ResponseError) && err.code === Code.RequestCancelled;
}

/** Returns the text of an error, with the next step if there is one. */
export function errorText(err: unknown): string {
  if (err instanceof DaemonError) return err.text;
  return err instanceof Error ? err.message : String(err);
}

/** Converts an error of the connection to one for the user. */
export function fromWire(err: unknown): DaemonError {
  if (err instanceof DaemonError) return err;
  if (err instanceof ResponseError) {
    return new DaemonError(err.message, { code: err.code, data: err.data as ErrorData | undefined, cause: err });
  }
  return new DaemonError(errorText(err), { cause: err });
}

import { ResponseError } from "vscode-jsonrpc";
import { Code, type ErrorData } from "../protocol/protocol.gen";

/** What a {@link DaemonError} knows besides its message. */
export interface DaemonErrorDetails {
  /** JSON-RPC's code, when the daemon answered with the error. */
  code?: number | undefined;
  /** What the daemon says about it. */
  data?: ErrorData | undefined;
  /** What the user can do about it. */
  next?: string | undefined;
  cause?: unknown;
}

/** An error for the user: its message says what happened, `next` what to do. */
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

/** The daemon is gone, and the request was not answered. */
export class DaemonGoneError extends DaemonError {}

/** Tells whether the user, or the host for them, has called a request off. */
export function isCancelled(err: unknown): boolean {
  return (err instanceof DaemonError || err instanceof ResponseError) && err.code === Code.RequestCancelled;
}

/** The words of an error, with the next step where there is one. */
export function errorText(err: unknown): string {
  if (err instanceof DaemonError) return err.text;
  return err instanceof Error ? err.message : String(err);
}

/** Makes an error of the wire one for the user. */
export function fromWire(err: unknown): DaemonError {
  if (err instanceof DaemonError) return err;
  if (err instanceof ResponseError) {
    return new DaemonError(err.message, { code: err.code, data: err.data as ErrorData | undefined, cause: err });
  }
  return new DaemonError(errorText(err), { cause: err });
}

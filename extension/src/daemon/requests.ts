// One request to one winnowd: what its failure means.

import { type CancellationToken, type RequestType, ErrorCodes, ResponseError } from "vscode-jsonrpc";
import type { ErrorData } from "../protocol/protocol.gen";
import { DaemonError, DaemonGoneError, fromWire } from "./errors";
import type { DaemonProcess } from "./process";

/** The codes by which vscode-jsonrpc says that the connection ended. */
const connectionCodes: ReadonlySet<number> = new Set([
  ErrorCodes.MessageWriteError,
  ErrorCodes.MessageReadError,
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
]);

/**
 * Sends one request to one process.
 *
 * @throws DaemonError what the daemon answered; a DaemonGoneError when it ended first
 */
export async function ask<P, R>(
  running: DaemonProcess,
  type: RequestType<P, R, ErrorData>,
  params: P,
  token?: CancellationToken,
): Promise<R> {
  try {
    return await running.connection.sendRequest(type, params as never, token);
  } catch (err) {
    // An answer of the daemon, unless the connection ended under the request.
    if (err instanceof ResponseError && !connectionCodes.has(err.code)) throw fromWire(err);
    throw new DaemonGoneError(`winnowd is gone; ${type.method} was not answered`, { cause: err });
  }
}

/** How long the answer to initialize may take unless it is said, in milliseconds: a start takes a fraction of a second. */
export const initializeTimeout = 30_000;

/** Waits for the answer to initialize; what never answers is no winnowd, or a stuck one. */
export async function inTime<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new DaemonError(`winnowd did not answer within ${ms / 1000} s of its start`, {
          next: "Check the setting winnow.daemon.path, look at the log, then restart it.",
        }),
      );
    }, ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
    // When it was late it is cut off by the kill that follows.
    answer.catch(() => undefined);
  }
}

/** Explains the refusal of a daemon that speaks another version of the protocol. */
export function otherVersion(err: unknown): DaemonError | undefined {
  if (!(err instanceof DaemonError) || err.data?.kind !== "protocolVersion") return undefined;
  return new DaemonError(`winnowd is of another version than this extension (${err.message})`, {
    next: "Clear the setting winnow.daemon.path, or name a winnowd of the extension's version there.",
    cause: err,
  });
}

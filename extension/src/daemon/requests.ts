// Requests to one winnowd process, and their failures.

import { type CancellationToken, type RequestType, ErrorCodes, ResponseError } from "vscode-jsonrpc";
import type { ErrorData } from "../protocol/protocol.gen";
import { DaemonError, DaemonGoneError, fromWire } from "./errors";
import type { DaemonProcess } from "./process";

/** The error codes of vscode-jsonrpc for a closed connection. */
const connectionCodes: ReadonlySet<number> = new Set([
  ErrorCodes.MessageWriteError,
  ErrorCodes.MessageReadError,
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
]);

/**
 * Sends one request to one process.
 *
 * @throws DaemonError the daemon's error; DaemonGoneError if the connection ended first
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
    // An error of the daemon, unless the connection ended.
    if (err instanceof ResponseError && !connectionCodes.has(err.code)) throw fromWire(err);
    throw new DaemonGoneError(`winnowd is gone; ${type.method} was not answered`, { cause: err });
  }
}

/** The default timeout of initialize, in milliseconds. A start takes a fraction of a second. */
export const initializeTimeout = 30_000;

/** Waits for the response to initialize with a timeout, which means a hung daemon or another program. */
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
    // A late response is rejected by the kill that follows.
    answer.catch(() => undefined);
  }
}

/** Returns the error for a daemon with another protocol version; undefined for any other error. */
export function otherVersion(err: unknown): DaemonError | undefined {
  if (!(err instanceof DaemonError) || err.data?.kind !== "protocolVersion") return undefined;
  return new DaemonError(`winnowd is of another version than this extension (${err.message})`, {
    next: "Clear the setting winnow.daemon.path, or name a winnowd of the extension's version there.",
    cause: err,
  });
}

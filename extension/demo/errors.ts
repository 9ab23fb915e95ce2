import { ResponseError } from "vscode-jsonrpc";
import type { ErrorData } from "../src/protocol.gen";

/** A failure that the user can understand without a stack trace. */
export class DemoError extends Error {}

/** Says what went wrong, and the next step where the daemon knows one. */
export function explain(err: unknown): string {
  if (err instanceof ResponseError) {
    const data = err.data as ErrorData | undefined;
    return data?.next === undefined ? err.message : `${err.message} ${data.next}`;
  }
  if (err instanceof DemoError) return err.message;
  return err instanceof Error ? (err.stack ?? err.message) : String(err);
}

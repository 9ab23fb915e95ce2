import { DaemonError } from "../src/daemon/errors";

/** A failure that the user can understand without a stack trace. */
export class DemoError extends Error {}

/** Says what went wrong, and the next step where the daemon knows one. */
export function explain(err: unknown): string {
  if (err instanceof DaemonError) return err.text;
  if (err instanceof DemoError) return err.message;
  return err instanceof Error ? (err.stack ?? err.message) : String(err);
}

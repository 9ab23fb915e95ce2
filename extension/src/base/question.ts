// Waits for the answer to a question that nothing else waits behind.

import type { CancellationToken } from "vscode-jsonrpc";
import { Deferred } from "./deferred";

/** How long a question stands before it counts as skipped, in milliseconds. */
export const questionTimeout = 5 * 60_000;

/**
 * Waits for an answer.
 *
 * @param shown is settled by the person: undefined where they closed the question
 * @returns the answer; undefined when there is none after a time, or token is cancelled first
 */
export async function answerTo(
  shown: PromiseLike<string | undefined>,
  token: CancellationToken,
): Promise<string | undefined> {
  const over = new Deferred<undefined>();
  const end = () => over.resolve(undefined);
  const timer = setTimeout(end, questionTimeout);
  const cancelling = token.onCancellationRequested(end);
  if (token.isCancellationRequested) end();
  try {
    return await Promise.race([over.promise, shown]);
  } finally {
    clearTimeout(timer);
    cancelling.dispose();
  }
}

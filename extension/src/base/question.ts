// Waits for an answer without blocking anything else.

import type { CancellationToken } from "vscode-jsonrpc";
import { Deferred } from "./deferred";

/** The time after which a question counts as skipped, in milliseconds. */
export const questionTimeout = 5 * 60_000;

/**
 * Waits for an answer.
 *
 * @param shown resolves with the user's answer: undefined if they closed the question
 * @returns the answer; undefined after a timeout, or if token is cancelled first
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

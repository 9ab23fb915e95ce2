/**
 * Makes a function of which at most one call runs, and at most one waits: calls
 * that come while it runs are answered by one more run after it.
 *
 * @param onError takes what a run throws; the next call runs again
 */
export function coalesce(run: () => Promise<void>, onError: (err: unknown) => void): () => void {
  let running = false;
  let again = false;
  const loop = async () => {
    running = true;
    do {
      again = false;
      try {
        await run();
      } catch (err) {
        onError(err);
      }
    } while (wanted());
    running = false;
  };
  // A function of its own, because a call in between may have set it.
  const wanted = () => again;
  return () => {
    again = true;
    if (!running) void loop();
  };
}

/**
 * Returns a function of which at most one run is active and at most one is pending: calls during a run cause one more
 * run after it.
 *
 * @param onError receives what a run throws; later calls run again
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
  // A function, because a call during the await may have set it.
  const wanted = () => again;
  return () => {
    again = true;
    if (!running) void loop();
  };
}

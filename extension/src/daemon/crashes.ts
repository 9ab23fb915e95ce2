/** More crashes than this within {@link crashWindow} end the restarts. */
const maxCrashes = 5;

/** The period in which crashes are counted, in milliseconds. */
const crashWindow = 3 * 60 * 1000;

/** The delay before the first restart, in milliseconds; it doubles each time. */
const firstDelay = 100;

/** Decides whether and when a crashed daemon is restarted. */
export class CrashPolicy {
  #crashes: number[] = [];

  /**
   * Records a crash.
   *
   * @param now the time, in milliseconds
   * @returns the delay before the next start in milliseconds; undefined after too many crashes
   */
  next(now: number): number | undefined {
    this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindow), now];
    return this.#crashes.length > maxCrashes ? undefined : firstDelay * 2 ** (this.#crashes.length - 1);
  }

  /** The number of recent crashes. */
  get count(): number {
    return this.#crashes.length;
  }

  /** Clears the crashes after a start by the user. */
  reset(): void {
    this.#crashes = [];
  }
}

/** More crashes than this in {@link crashWindow} end the restarts. */
const maxCrashes = 5;

/** The time in which crashes are counted, in milliseconds. */
const crashWindow = 3 * 60 * 1000;

/** The wait before the first restart, in milliseconds; it doubles each time. */
const firstDelay = 100;

/** Decides whether and when a daemon that crashed is started again. */
export class CrashPolicy {
  #crashes: number[] = [];

  /**
   * Notes a crash.
   *
   * @param now the time, in milliseconds
   * @returns the wait before the next start in milliseconds, or undefined when
   *   it has crashed too often to go on.
   */
  next(now: number): number | undefined {
    this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindow), now];
    return this.#crashes.length > maxCrashes ? undefined : firstDelay * 2 ** (this.#crashes.length - 1);
  }

  /** How many crashes count now. */
  get count(): number {
    return this.#crashes.length;
  }

  /** Forgets the crashes: the user has asked for a new start. */
  reset(): void {
    this.#crashes = [];
  }
}

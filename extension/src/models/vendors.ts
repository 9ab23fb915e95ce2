// What each vendor of language models offers, by its latest answer.

/** What is needed of a model. */
interface Model {
  id: string;
}

/** What vendors are asked with. */
export interface VendorsOptions<M> {
  /** Asks one vendor; never without one, or ours would be asked and wait for us. */
  ask: (vendor: string) => PromiseLike<M[]>;
  /** How long one vendor may take, in milliseconds. */
  timeout: number;
  /** Called when an answer that came too late says something else than what was taken for it. */
  late: () => void;
  warn: (text: string) => void;
}

/** Asks vendors for their models. One that hangs or fails has those that it had before. */
export class Vendors<M extends Model> {
  readonly #options: VendorsOptions<M>;
  readonly #models = new Map<string, readonly M[]>();

  constructor(options: VendorsOptions<M>) {
    this.#options = options;
  }

  /** The models of a vendor, within the timeout. */
  async models(vendor: string): Promise<readonly M[]> {
    const answer = this.#ask(vendor);
    const { timeout, warn } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => (timer = setTimeout(() => resolve("late"), timeout)));
    const first = await Promise.race([answer, late]);
    clearTimeout(timer);
    const before = this.#models.get(vendor) ?? [];
    if (first !== "late") return first ?? before;
    warn(`${vendor} did not tell its language models within ${timeout / 1000} s; ${knownBefore(before)}`);
    void answer.then((models) => {
      if (models !== undefined && ids(models) !== ids(before)) this.#options.late();
    });
    return before;
  }

  /** Asks and notes the answer; undefined when there is none. */
  async #ask(vendor: string): Promise<readonly M[] | undefined> {
    try {
      const models = await this.#options.ask(vendor);
      this.#models.set(vendor, models);
      return models;
    } catch (err) {
      const before = this.#models.get(vendor) ?? [];
      this.#options.warn(`${vendor} does not tell its language models (${String(err)}); ${knownBefore(before)}`);
      return undefined;
    }
  }
}

function knownBefore(before: readonly unknown[]): string {
  return before.length === 0 ? "none is known" : `the ${before.length} known before stay`;
}

function ids(models: readonly Model[]): string {
  return JSON.stringify(models.map(({ id }) => id));
}

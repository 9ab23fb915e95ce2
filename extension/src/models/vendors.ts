// The models of each vendor, by its latest response.

/** The used members of a model. */
interface Model {
  id: string;
}

/** The options of Vendors. */
export interface VendorsOptions<M> {
  /** Requests one vendor's models. Never called without a vendor: our own provider would be called and deadlock. */
  ask: (vendor: string) => PromiseLike<M[]>;
  /** The timeout of one vendor, in milliseconds. */
  timeout: number;
  /** Called when a late response differs from the one assumed. */
  late: () => void;
  warn: (text: string) => void;
}

/** Requests the models of vendors. A vendor that hangs or fails keeps its earlier models. */
export class Vendors<M extends Model> {
  readonly #options: VendorsOptions<M>;
  readonly #models = new Map<string, readonly M[]>();

  constructor(options: VendorsOptions<M>) {
    this.#options = options;
  }

  /** Returns the models of a vendor, within the timeout. */
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

  /** Requests and stores the models; undefined on an error. */
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

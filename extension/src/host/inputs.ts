import type { CancellationToken, SecretStorage } from "vscode";
import type { InputRequestParams, InputRequestResult } from "../protocol.gen";

/** Asks the user; undefined means that there is no answer. */
export type Ask = (params: InputRequestParams, token: CancellationToken) => Promise<string | undefined>;

/** What the keys of the values begin with. Those of earlier versions end otherwise; they are never read. */
const inputPrefix = "input/";

/** What the keys begin with that the daemon asks for and keeps for itself. */
const ownPrefix = "winnow.embeddings.";

/** Asks for the values of `${input:…}`, each once, and keeps them as secrets. */
export class Inputs {
  readonly #secrets: SecretStorage;
  readonly #workspace: string;
  readonly #ask: Ask;
  /** Settled when no box is open: a second one would dismiss the first. */
  #free: Promise<unknown> = Promise.resolve();

  /** @param workspace names the workspace; what its own files ask for is kept for it alone */
  constructor(secrets: SecretStorage, workspace: string, ask: Ask) {
    this.#secrets = secrets;
    this.#workspace = workspace;
    this.#ask = ask;
  }

  /** Answers input/request, one after the other. */
  request(params: InputRequestParams, token: CancellationToken): Promise<InputRequestResult> {
    const answer = this.#free.then(() => this.#answer(params, token));
    this.#free = answer.catch(() => undefined);
    return answer;
  }

  async #answer(params: InputRequestParams, token: CancellationToken): Promise<InputRequestResult> {
    const key = this.#keyOf(params);
    const stored = key === undefined ? undefined : await this.#secrets.get(key);
    const value = stored ?? (await this.#ask(params, token));
    if (value === undefined) return {};
    if (stored === undefined && key !== undefined) await this.#secrets.store(key, value);
    return { value };
  }

  /** Where a value is kept; undefined for one that the daemon keeps by itself. */
  #keyOf({ id, server, file, workspace }: InputRequestParams): string | undefined {
    if (server === undefined || file === undefined) return undefined;
    return inputPrefix + JSON.stringify([workspace === true ? this.#workspace : "", file, server, id]);
  }

  /** Forgets every value of every workspace, so that it is asked for again; returns how many there were. */
  async forget(): Promise<number> {
    const keys = (await this.#secrets.keys()).filter((key) => key.startsWith(inputPrefix) || key.startsWith(ownPrefix));
    for (const key of keys) await this.#secrets.delete(key);
    return keys.length;
  }
}

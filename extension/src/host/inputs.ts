import type { CancellationToken, SecretStorage } from "vscode";
import type { InputRequestParams, InputRequestResult } from "../protocol/protocol.gen";

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

  /** Answers input/request. A value that is kept waits for no box; boxes open one after the other. */
  async request(params: InputRequestParams, token: CancellationToken): Promise<InputRequestResult> {
    const key = this.#keyOf(params);
    const kept = await this.#kept(key);
    if (kept !== undefined) return { value: kept };
    const answer = this.#free.then(() => this.#answer(params, key, token));
    this.#free = answer.catch(() => undefined);
    return answer;
  }

  /** Asks, unless the value was given while this waited. */
  async #answer(
    params: InputRequestParams,
    key: string | undefined,
    token: CancellationToken,
  ): Promise<InputRequestResult> {
    const kept = await this.#kept(key);
    const value = kept ?? (await this.#ask(params, token));
    if (value === undefined) return {};
    if (kept === undefined && key !== undefined) await this.#secrets.store(key, value);
    return { value };
  }

  async #kept(key: string | undefined): Promise<string | undefined> {
    return key === undefined ? undefined : await this.#secrets.get(key);
  }

  /** Where a value is kept; undefined for one that the daemon keeps by itself. */
  #keyOf({ id, server, file, workspace }: InputRequestParams): string | undefined {
    if (server === undefined || file === undefined) return undefined;
    return inputPrefix + JSON.stringify([workspace === true ? this.#workspace : "", file, server, id]);
  }

  /** The keys of every value of every workspace. */
  async keys(): Promise<string[]> {
    return (await this.#secrets.keys()).filter((key) => key.startsWith(inputPrefix) || key.startsWith(ownPrefix));
  }

  /** Forgets them all, so that they are asked for again; returns how many there were. */
  async forget(): Promise<number> {
    const keys = await this.keys();
    for (const key of keys) await this.#secrets.delete(key);
    return keys.length;
  }
}

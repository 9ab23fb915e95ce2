import type { CancellationToken, SecretStorage } from "vscode";
import type { InputRequestParams, InputRequestResult } from "../protocol/protocol.gen";

/** Asks the user; undefined means no answer. */
export type Ask = (params: InputRequestParams, token: CancellationToken) => Promise<string | undefined>;

/** The prefix of the keys of values. Keys of earlier versions have another form and are never read. */
const inputPrefix = "input/";

/** The prefix of the keys of values that the daemon stores itself. */
const ownPrefix = "winnow.embeddings.";

/** Asks for each `${input:…}` once, and stores the values as secrets. */
export class Inputs {
  readonly #secrets: SecretStorage;
  readonly #workspace: string;
  readonly #ask: Ask;
  /** Settled when no input is open: a second one would dismiss the first. */
  #free: Promise<unknown> = Promise.resolve();

  /** @param workspace the workspace; values that its own files request are stored for it alone */
  constructor(secrets: SecretStorage, workspace: string, ask: Ask) {
    this.#secrets = secrets;
    this.#workspace = workspace;
    this.#ask = ask;
  }

  /** Handles input/request. A stored value is returned at once; inputs open one after another. */
  async request(params: InputRequestParams, token: CancellationToken): Promise<InputRequestResult> {
    const key = this.#keyOf(params);
    const kept = await this.#kept(key);
    if (kept !== undefined) return { value: kept };
    const answer = this.#free.then(() => this.#answer(params, key, token));
    this.#free = answer.catch(() => undefined);
    return answer;
  }

  /** Asks, unless the value was given in the meantime. */
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

  /** Returns the key of a value; undefined for one that the daemon stores itself. */
  #keyOf({ id, server, file, workspace }: InputRequestParams): string | undefined {
    if (server === undefined || file === undefined) return undefined;
    return inputPrefix + JSON.stringify([workspace === true ? this.#workspace : "", file, server, id]);
  }

  /** Returns the keys of all values of all workspaces. */
  async keys(): Promise<string[]> {
    return (await this.#secrets.keys()).filter((key) => key.startsWith(inputPrefix) || key.startsWith(ownPrefix));
  }

  /** Deletes all values, so that they are asked for again; returns their number. */
  async forget(): Promise<number> {
    const keys = await this.keys();
    for (const key of keys) await this.#secrets.delete(key);
    return keys.length;
  }
}

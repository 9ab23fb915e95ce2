import * as vscode from "vscode";
import type { InputRequestParams, InputRequestResult } from "../protocol.gen";

/** Where the names of the stored values are kept; the values are secrets. */
const namesKey = "inputs";

/** Asks for the values of `${input:…}`, each once, and keeps them as secrets. */
export class Inputs {
  readonly #context: vscode.ExtensionContext;
  /** Settled when no box is open: a second one would dismiss the first. */
  #free: Promise<unknown> = Promise.resolve();

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
  }

  /** Answers input/request, one after the other. */
  request(params: InputRequestParams, token: vscode.CancellationToken): Promise<InputRequestResult> {
    const answer = this.#free.then(() => this.#answer(params, token));
    this.#free = answer.catch(() => undefined);
    return answer;
  }

  async #answer(params: InputRequestParams, token: vscode.CancellationToken): Promise<InputRequestResult> {
    const key = `input/${params.server}/${params.id}`;
    const stored = await this.#context.secrets.get(key);
    if (stored !== undefined) return { value: stored };
    const value = await ask(params, token);
    if (value === undefined) return {};
    await this.#context.secrets.store(key, value);
    await this.#context.workspaceState.update(namesKey, [...new Set([...this.#names(), key])]);
    return { value };
  }

  /** Forgets every value, so that it is asked for again; returns how many there were. */
  async forget(): Promise<number> {
    const names = this.#names();
    for (const key of names) await this.#context.secrets.delete(key);
    await this.#context.workspaceState.update(namesKey, undefined);
    return names.length;
  }

  #names(): string[] {
    return this.#context.workspaceState.get<string[]>(namesKey, []);
  }
}

/** Shows the right kind of box; undefined means that the user dismissed it. */
async function ask(params: InputRequestParams, token: vscode.CancellationToken): Promise<string | undefined> {
  const title = `MCP server ${params.server}`;
  if (params.kind === "pickString") {
    return vscode.window.showQuickPick(
      params.options ?? [],
      { title, placeHolder: params.description, ignoreFocusOut: true },
      token,
    );
  }
  return vscode.window.showInputBox(
    {
      title,
      prompt: params.description,
      password: params.password ?? false,
      ignoreFocusOut: true,
      ...(params.default !== undefined && { value: params.default }),
    },
    token,
  );
}

import * as vscode from "vscode";
import { plainMessage } from "../base/format";
import { errorText, isCancelled } from "../daemon/errors";
import type { Winnow } from "./winnow";

/** Registers a command whose failure is told, with what to do about it. */
export function command(winnow: Winnow, id: string, run: (...args: never[]) => unknown): void {
  winnow.own(
    vscode.commands.registerCommand(id, (...args: unknown[]) => attempt(winnow, () => run(...(args as never[])))),
  );
}

/** Runs something for the user. What fails is told, not thrown. */
export async function attempt<T>(winnow: Winnow, run: () => T): Promise<Awaited<T> | undefined> {
  try {
    return await run();
  } catch (err) {
    if (!isCancelled(err)) void tell(winnow, err);
    return undefined;
  }
}

/** Says something by a notification, with what the user can do about it, and does what they choose. Servers may have written some of the text. */
export async function offer(
  show: (text: string, ...titles: string[]) => Thenable<string | undefined>,
  text: string,
  actions: Readonly<Record<string, () => unknown>>,
): Promise<void> {
  const chosen = await show(plainMessage(text), ...Object.keys(actions));
  if (chosen !== undefined) await actions[chosen]?.();
}

/** Shows an error with its next step. */
async function tell({ log }: Winnow, err: unknown): Promise<void> {
  const text = errorText(err);
  log.error(text);
  await offer(vscode.window.showErrorMessage, `Winnow: ${text}`, { "Show Log": () => log.show() });
}

import * as vscode from "vscode";
import { plainMessage } from "../base/format";
import { errorText, isCancelled } from "../daemon/errors";
import type { Winnow } from "./winnow";

/** Registers a command whose errors are shown with their next step. */
export function command(winnow: Winnow, id: string, run: (...args: never[]) => unknown): void {
  winnow.own(
    vscode.commands.registerCommand(id, (...args: unknown[]) => attempt(winnow, () => run(...(args as never[])))),
  );
}

/** Runs an action for the user. Errors are shown, not thrown. */
export async function attempt<T>(winnow: Winnow, run: () => T): Promise<Awaited<T> | undefined> {
  try {
    return await run();
  } catch (err) {
    if (!isCancelled(err)) void tell(winnow, err);
    return undefined;
  }
}

/** Shows a notification with actions, and runs the chosen one. Parts of the text may come from servers. */
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

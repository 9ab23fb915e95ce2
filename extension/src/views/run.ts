import * as vscode from "vscode";
import { DaemonError, isCancelled } from "../daemon/errors";
import type { Winnow } from "../winnow";

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

/** Shows an error with its next step. */
async function tell({ log }: Winnow, err: unknown): Promise<void> {
  const text = err instanceof DaemonError ? err.text : err instanceof Error ? err.message : String(err);
  log.error(text);
  const showLog = "Show Log";
  if ((await vscode.window.showErrorMessage(`Winnow: ${text}`, showLog)) === showLog) log.show();
}

import * as vscode from "vscode";
import { registerStatus } from "../status/bar";
import type { Winnow } from "../winnow";
import { registerCompletion } from "./completion/provider";
import { registerContext } from "./context/view";
import { TaskFacts, type TaskSource } from "./facts";
import { command } from "./run";
import { registerServers } from "./servers/view";
import { Store } from "./store";
import { registerTasks } from "./tasks/view";
import { registerWhy } from "./why/view";

/**
 * Shows the views and the status bar.
 *
 * @param sources what the faces of this window know of their tasks
 */
export function registerViews(winnow: Winnow, sources: readonly TaskSource[]): void {
  const { own, daemon, log } = winnow;
  const store = own(
    new Store(daemon, (err) => log.debug(`views: ${err instanceof Error ? err.message : String(err)}`)),
  );
  const facts = own(new TaskFacts(sources));
  registerServers(winnow, store);
  registerTasks(winnow, store, facts);
  registerContext(winnow, store, facts);
  registerWhy(winnow, store, facts);
  registerCompletion(winnow, store);
  registerStatus(winnow, store);
  command(winnow, "winnow.getStarted", () =>
    vscode.commands.executeCommand("workbench.action.openWalkthrough", `${winnow.context.extension.id}#start`),
  );
}

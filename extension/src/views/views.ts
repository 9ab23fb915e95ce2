import * as vscode from "vscode";
import type { HostModels } from "../models/register";
import { registerStatus } from "../status/bar";
import type { Sessions } from "../sessions";
import type { Winnow } from "../winnow";
import { registerCompletion } from "./completion/provider";
import { registerContext } from "./context/view";
import { command } from "./run";
import { registerServers } from "./servers/view";
import { Store } from "./store";
import { registerTasks } from "./tasks/view";
import { registerWhy } from "./why/view";

/** Shows the views and the status bar. */
export function registerViews(winnow: Winnow, sessions: Sessions, models: HostModels): void {
  const { own, daemon, log } = winnow;
  const store = own(
    new Store(daemon, (err) => log.debug(`views: ${err instanceof Error ? err.message : String(err)}`), models),
  );
  own(models.onDidChangeServerNames(() => store.refresh()));
  registerServers(winnow, store);
  registerTasks(winnow, store, sessions);
  registerContext(winnow, store, sessions);
  registerWhy(winnow, store, sessions);
  registerCompletion(winnow, store);
  registerStatus(winnow, store, models);
  command(winnow, "winnow.getStarted", () =>
    vscode.commands.executeCommand("workbench.action.openWalkthrough", `${winnow.context.extension.id}#start`),
  );
}

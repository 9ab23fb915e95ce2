import * as vscode from "vscode";
import type { WinnowExports } from "../api/winnow";
import { exportsOf } from "./api/api";
import { findBinary } from "./daemon/binary";
import { DaemonClient } from "./daemon/client";
import { parseLogLine } from "./daemon/logline";
import { registerHost } from "./host/host";
import { initializeParams } from "./host/initialize";
import { type HostModels, registerModels } from "./models/register";
import { registerParticipant } from "./participant/register";
import { type LogLevel, SetLogLevel } from "./protocol/protocol.gen";
import { registerFirstRun } from "./servers/firstrun";
import { registerGateway } from "./servers/gateway";
import { registerImport } from "./servers/import";
import { registerProxyModel } from "./servers/proxymodel";
import { registerCompletion } from "./views/completion/provider";
import { registerReplay } from "./views/context/replay";
import { registerContext } from "./views/context/view";
import { registerJournal } from "./views/journal/view";
import { registerApprovals } from "./views/lock/approvals";
import { registerLockActions } from "./views/lock/actions";
import { registerLockBadge } from "./views/lock/badge";
import { registerConsent } from "./views/servers/consentprompt";
import { registerServers } from "./views/servers/view";
import { registerStatus } from "./views/status/bar";
import { Store } from "./views/store";
import { registerTasks } from "./views/tasks/view";
import { registerWhy } from "./views/why/view";
import { InForce } from "./window/setting";
import { Sessions } from "./window/sessions";
import { Steps } from "./window/steps";
import type { Winnow } from "./window/winnow";

/** Shuts down this window's processes; called by deactivate. */
let end: (() => Promise<unknown>) | undefined;

/** Called by VS Code after its own start. It does not wait for the daemon. Returns the API for other extensions. */
export function activate(context: vscode.ExtensionContext): WinnowExports {
  const log = vscode.window.createOutputChannel("Winnow", { log: true });
  const client = newClient(context, log);
  const winnow: Winnow = {
    context,
    daemon: client,
    settings: new InForce(client),
    steps: new Steps(),
    log,
    own: (disposable) => {
      context.subscriptions.push(disposable);
      return disposable;
    },
  };
  winnow.own(log);
  winnow.own(client);
  winnow.own(winnow.settings);
  winnow.own(
    log.onDidChangeLogLevel((level) => {
      // A daemon that does not run gets it at its start.
      client.request(SetLogLevel, { level: wireLevel(level) }).catch(() => undefined);
    }),
  );
  registerHost(winnow, client);
  const sessions = winnow.own(new Sessions());
  const { answering, models } = registerModels(winnow, sessions);
  end = () => client.stop();
  registerParticipant(winnow, sessions, answering);
  registerViews(winnow, sessions, models);
  registerGateway(winnow);
  registerProxyModel(winnow, () => binary(winnow.context));
  registerImport(winnow);
  registerFirstRun(winnow);
  void client.start();
  return winnow.own(exportsOf(client));
}

/** VS Code waits for it, so that servers shut down in order and the daemon stores all chats. */
export async function deactivate(): Promise<void> {
  await end?.();
}

function newClient(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): DaemonClient {
  return new DaemonClient({
    binary: () => binary(context),
    initialize: () => initializeParams(context),
    logLevel: () => wireLevel(log.logLevel),
    onLog: (line) => {
      const { level, text } = parseLogLine(line);
      log[level](text);
    },
  });
}

/** Returns VS Code's tools; the daemon identifies those of MCP servers. */
function hostTools(): object[] {
  return vscode.lm.tools.map((tool) => {
    // The reference is not in the stable API.
    const { name, description, inputSchema, fullReferenceName }: typeof tool & { fullReferenceName?: string } = tool;
    return { name, description, schema: inputSchema, reference: fullReferenceName };
  });
}

/** Returns the path of the daemon. */
function binary({ extensionPath }: vscode.ExtensionContext): Promise<string> {
  return findBinary({ setting: vscode.workspace.getConfiguration("winnow").get("daemon.path", ""), extensionPath });
}

/** Shows the views and the status bar. */
function registerViews(winnow: Winnow, sessions: Sessions, models: HostModels): void {
  const { own, daemon, log } = winnow;
  const store = own(
    new Store(daemon, (err) => log.debug(`views: ${err instanceof Error ? err.message : String(err)}`), models),
  );
  own(models.onDidChangeServerNames(() => store.refresh()));
  const servers = registerServers(winnow, store);
  registerLockActions(winnow);
  registerApprovals(winnow);
  registerLockBadge(winnow, store, servers);
  registerJournal(winnow);
  registerConsent(winnow, store);
  registerTasks(winnow, store, sessions);
  registerContext(winnow, store, sessions);
  registerReplay(winnow, {
    program: () => binary(winnow.context),
    session: () => ({ ...initializeParams(winnow.context), tools: hostTools() }),
  });
  registerWhy(winnow, store, sessions);
  registerCompletion(winnow, store);
  registerStatus(winnow, store, models, sessions);
}

/** Returns the daemon's log level for the channel's, so that it does not write dropped lines. */
function wireLevel(level: vscode.LogLevel): LogLevel {
  switch (level) {
    case vscode.LogLevel.Trace:
    case vscode.LogLevel.Debug:
      return "debug";
    case vscode.LogLevel.Info:
      return "info";
    case vscode.LogLevel.Warning:
      return "warn";
    default:
      return "error";
  }
}

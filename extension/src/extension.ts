import * as vscode from "vscode";
import type { WinnowExports } from "../api/winnow";
import { exportsOf } from "./api/api";
import { findBinary } from "./daemon/binary";
import { DaemonClient } from "./daemon/client";
import { parseLogLine } from "./daemon/logline";
import { registerHost } from "./host/host";
import { initializeParams } from "./host/initialize";
import { registerModels } from "./models/register";
import { registerParticipant } from "./participant/register";
import { type LogLevel, SetLogLevel } from "./protocol.gen";
import { registerFirstRun } from "./servers/firstrun";
import { registerGateway } from "./servers/gateway";
import { registerImport } from "./servers/import";
import { registerProxyModel } from "./servers/proxymodel";
import { registerViews } from "./views/views";
import { Sessions } from "./sessions";
import type { Winnow } from "./winnow";

/** Ends what this window runs, for deactivate. */
let end: (() => Promise<unknown>) | undefined;

/** VS Code calls it after its own start; it does not wait for the daemon. It returns the API for other extensions. */
export function activate(context: vscode.ExtensionContext): WinnowExports {
  const log = vscode.window.createOutputChannel("Winnow", { log: true });
  const client = newClient(context, log);
  const winnow: Winnow = {
    context,
    daemon: client,
    log,
    own: (disposable) => {
      context.subscriptions.push(disposable);
      return disposable;
    },
  };
  winnow.own(log);
  winnow.own(client);
  winnow.own(
    log.onDidChangeLogLevel((level) => {
      // One that does not run is told at its start.
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
  registerProxyModel(winnow);
  registerImport(winnow);
  registerFirstRun(winnow);
  void client.start();
  return winnow.own(exportsOf(client));
}

/** VS Code waits for it, so that the servers end in order and the daemon keeps each chat to its end. */
export async function deactivate(): Promise<void> {
  await end?.();
}

function newClient(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): DaemonClient {
  return new DaemonClient({
    binary: () =>
      findBinary({
        setting: vscode.workspace.getConfiguration("winnow").get("daemon.path", ""),
        extensionPath: context.extensionPath,
      }),
    initialize: () => initializeParams(context),
    logLevel: () => wireLevel(log.logLevel),
    onLog: (line) => {
      const { level, text } = parseLogLine(line);
      log[level](text);
    },
  });
}

/** The daemon's level for the channel's: what the channel would drop is not even written. */
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

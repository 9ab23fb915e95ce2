import * as vscode from "vscode";
import { count } from "../base/format";
import type { DaemonClient, DaemonState } from "../daemon/client";
import {
  ClaimConfirm,
  DidChangeFolders,
  DidChangeSettings,
  DidGrantTrust,
  InputRequest,
  ExternalURL,
  OpenExternal,
  Progress,
  SecretGet,
  SecretSet,
  ShowMessage,
  TelemetryEvent,
  type TelemetryEventParams,
} from "../protocol/protocol.gen";
import { openSetting } from "../window/open";
import { attempt, command, offer } from "../window/run";
import type { Winnow } from "../window/winnow";
import { settings, workspaceFolders } from "./initialize";
import { Inputs } from "./inputs";
import { Messages } from "./messages";
import { StartProgress } from "./progress";
import { confirmClaim, externalUrl, openExternal, showInput } from "./questions";
import { unlocked } from "./storage";

/** Handles the daemon's requests, and notifies it of changes in VS Code. */
export function registerHost(winnow: Winnow, client: DaemonClient): void {
  answer(winnow, client);
  inform(winnow, client);
  const { own, log } = winnow;
  own(client.onDidChangeState((state) => void attempt(winnow, () => showStopped(state, winnow))));
  command(winnow, "winnow.restartDaemon", () => client.restart());
  command(winnow, "winnow.showLog", () => log.show());
}

function answer(winnow: Winnow, client: DaemonClient): void {
  const { own, context, log } = winnow;
  // The storage URI is VS Code's name of a workspace, on any machine, and stable over reloads.
  const inputs = new Inputs(context.secrets, unlocked(context.storageUri?.toString() ?? ""), showInput);
  const messages = new Messages(log);
  const starting = own(new StartProgress());
  own(client.onRequest(InputRequest, (params, token) => inputs.request(params, token as vscode.CancellationToken)));
  own(
    client.onRequest(SecretGet, async ({ key }) => {
      const value = await context.secrets.get(key);
      return value === undefined ? {} : { value };
    }),
  );
  own(
    client.onRequest(SecretSet, async ({ key, value }) => {
      await (value === undefined ? context.secrets.delete(key) : context.secrets.store(key, value));
      return {};
    }),
  );
  own(client.onRequest(OpenExternal, openExternal));
  own(client.onRequest(ExternalURL, externalUrl));
  own(client.onRequest(ClaimConfirm, (params, token) => confirmClaim(params, token as vscode.CancellationToken)));
  own(client.onNotification(ShowMessage, (params) => void attempt(winnow, () => messages.show(params))));
  own(client.onNotification(TelemetryEvent, (event) => report(event, log)));
  own(client.onNotification(Progress, (params) => starting.note(params)));
  own(
    client.onDidChangeState((state) => {
      if (state.kind !== "ready") starting.dispose();
    }),
  );
  const offer = async () =>
    vscode.commands.executeCommand("setContext", "winnow.hasInputs", (await inputs.keys()).length > 0);
  own(context.secrets.onDidChange(() => void attempt(winnow, offer)));
  void attempt(winnow, offer);
  command(winnow, "winnow.forgetInputs", async () => {
    const forgotten = count(await inputs.forget(), "stored value");
    void vscode.window.showInformationMessage(
      `Winnow has forgotten ${forgotten}, of all workspaces. What runs goes on; you are asked again when a server or the daemon is restarted.`,
    );
  });
}

/** Shows an error with the next step when the daemon has stopped. */
async function showStopped(state: DaemonState, { daemon, log }: Winnow): Promise<void> {
  if (state.kind !== "stopped" || state.error === undefined) return;
  log.error(state.error.text);
  const setting = { "Open Setting": () => openSetting("daemon.path") };
  await offer(vscode.window.showErrorMessage, `Winnow does not run: ${state.error.text}`, {
    ...(state.error.next?.includes("winnow.daemon.path") === true && setting),
    Restart: () => daemon.restart(),
    "Show Log": () => log.show(),
  });
}

/** Logs an event that VS Code's telemetry level allows, for the user to see. No service collects them. */
function report({ name, numbers, labels }: TelemetryEventParams, log: vscode.LogOutputChannel): void {
  // VS Code's flag may lag behind the setting.
  const level = vscode.workspace.getConfiguration("telemetry").get<string>("telemetryLevel", "all");
  if (vscode.env.isTelemetryEnabled && level === "all")
    log.info(`telemetry ${name} ${JSON.stringify({ ...numbers, ...labels })}`);
}

/** The settings that the daemon and the servers receive at their start only. */
const startSettings = [
  "winnow.daemon.path",
  "http.proxy",
  "http.proxySupport",
  "http.noProxy",
  "http.proxyStrictSSL",
  "http.proxyAuthorization",
];

function inform({ own }: Winnow, client: DaemonClient): void {
  own(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (startSettings.some((name) => change.affectsConfiguration(name))) void client.restart();
      else if (change.affectsConfiguration("winnow")) {
        client.notify(DidChangeSettings, settings());
      }
    }),
  );
  own(
    vscode.workspace.onDidChangeWorkspaceFolders(() =>
      client.notify(DidChangeFolders, { workspaceFolders: workspaceFolders() }),
    ),
  );
  own(vscode.workspace.onDidGrantWorkspaceTrust(() => client.notify(DidGrantTrust, {})));
}

import * as vscode from "vscode";
import type { DaemonClient } from "../daemon/client";
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
} from "../protocol.gen";
import { count } from "../views/format";
import { attempt, command } from "../views/run";
import type { Winnow } from "../winnow";
import { confirmClaim } from "./claims";
import { externalUrl, openExternal } from "./external";
import { workspaceFolders } from "./initialize";
import { showInput } from "./inputbox";
import { Inputs } from "./inputs";
import { Messages } from "./messages";
import { networkSettings } from "./network";
import { StartProgress } from "./progress";
import { settings } from "./settings";
import { showStopped } from "./state";
import { unlocked } from "./storage";
import { Telemetry } from "./telemetry";

/** Answers what the daemon asks of VS Code, and tells it what changes there. */
export function registerHost(winnow: Winnow, client: DaemonClient): void {
  answer(winnow, client);
  inform(winnow, client);
  const { own, log } = winnow;
  own(client.onDidChangeState((state) => void showStopped(state, client, log)));
  command(winnow, "winnow.restartDaemon", () => client.restart());
  command(winnow, "winnow.showLog", () => log.show());
}

function answer(winnow: Winnow, client: DaemonClient): void {
  const { own, context, log } = winnow;
  // Its storage is VS Code's name for a workspace, on whichever machine that is, and the same after a reload.
  const inputs = new Inputs(context.secrets, unlocked(context.storageUri?.toString() ?? ""), showInput);
  const messages = new Messages(log);
  const telemetry = own(new Telemetry(log));
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
  own(client.onRequest(ClaimConfirm, confirmClaim));
  own(client.onNotification(ShowMessage, (params) => void attempt(winnow, () => messages.show(params))));
  own(client.onNotification(TelemetryEvent, (event) => telemetry.send(event)));
  own(client.onNotification(Progress, (params) => starting.note(params)));
  own(
    client.onDidChangeState((state) => {
      if (state.kind !== "ready") starting.clear();
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

/** Whether the daemon must start anew: the servers, too, are told of a proxy at their start. */
function needsRestart(change: vscode.ConfigurationChangeEvent): boolean {
  return ["winnow.daemon.path", ...networkSettings].some((setting) => change.affectsConfiguration(setting));
}

function inform({ own }: Winnow, client: DaemonClient): void {
  own(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (needsRestart(change)) void client.restart();
      else if (change.affectsConfiguration("winnow")) {
        client.notify(DidChangeSettings, { settings: settings() });
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

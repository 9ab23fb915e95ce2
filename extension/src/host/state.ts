import * as vscode from "vscode";
import type { Daemon, DaemonState } from "../daemon/client";
import { openSetting } from "./opensetting";

/** Tells the user when the daemon does not run any more, and what they can do. */
export async function showStopped(state: DaemonState, daemon: Daemon, log: vscode.LogOutputChannel): Promise<void> {
  if (state.kind !== "stopped" || state.error === undefined) return;
  const restart = "Restart";
  const settings = "Open Setting";
  const showLog = "Show Log";
  log.error(state.error.text);
  const actions = state.error.next?.includes("winnow.daemon.path") ? [settings, restart, showLog] : [restart, showLog];
  const chosen = await vscode.window.showErrorMessage(`Winnow does not run: ${state.error.text}`, ...actions);
  if (chosen === restart) await daemon.restart();
  if (chosen === settings) await openSetting("daemon.path");
  if (chosen === showLog) log.show();
}

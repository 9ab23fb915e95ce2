import * as vscode from "vscode";
import { coalesce } from "../../base/coalesce";
import type { HostModels } from "../../models/register";
import { isRoutingOff, isShadow, setRouting, setShadow } from "./switches";
import { ModeSet, type StatusResult } from "../../protocol/protocol.gen";
import { command } from "../../window/run";
import type { Sessions } from "../../window/sessions";
import type { Winnow } from "../../window/winnow";
import { showMenu } from "../menu";
import type { Store } from "../store";
import { markdown } from "../treeitem";
import { pickMode } from "./pickmode";
import { startingStatus, stoppedStatus } from "./text";

/** The commands linked in the tooltip. */
const linked = [
  "winnow.useModel",
  "winnow.toggleRouting",
  "winnow.pickMode",
  "winnow.showServers",
  "winnow.why",
  "winnow.manageTrust",
  "workbench.action.openSettings",
];

/** Registers the status bar item and its menu. */
export function registerStatus(winnow: Winnow, store: Store, models: HostModels, sessions: Sessions): void {
  const { daemon, log } = winnow;
  const item = winnow.own(vscode.window.createStatusBarItem("winnow.status", vscode.StatusBarAlignment.Right, 99));
  item.name = "Winnow";
  item.command = "winnow.showMenu";
  const status = async (): Promise<StatusResult> => {
    const { state } = daemon;
    if (state.kind === "ready") {
      const sections = sessions.of(store.tasks.at(-1)?.task ?? "")?.sections ?? [];
      const rest = sections.reduce((sum, { tokens }) => sum + tokens, 0);
      return store.status({ models: models.routed(), rest, restricted: !vscode.workspace.isTrusted });
    }
    return state.kind === "stopped" && state.error !== undefined
      ? stoppedStatus(state.error.text)
      : startingStatus(isRoutingOff());
  };
  let drawn = "";
  const draw = coalesce(
    async () => {
      const now = await status();
      if (JSON.stringify(now) === drawn) return; // a redraw would close an open tooltip
      drawn = JSON.stringify(now);
      drawItem(item, now);
    },
    // The end of the daemon changes its state, which draws again.
    (err) => log.debug(`the status: ${String(err)}`),
  );
  const changed = () => {
    void vscode.commands.executeCommand("setContext", "winnow.daemon", daemon.state.kind);
    void vscode.commands.executeCommand("setContext", "winnow.routing", isRoutingOff() ? "off" : "on");
    void vscode.commands.executeCommand("setContext", "winnow.hasModes", store.modes.modes.length > 0);
    draw();
  };
  const events = [store.onDidChangeServers, store.onDidChangeTasks, store.onDidChangeModes, daemon.onDidChangeState];
  for (const event of events) winnow.own(event(changed));
  winnow.own(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("winnow")) changed();
      const switches = ["enabled", "searchTurns", "shadow"].map((key) => `winnow.${key}`);
      if (switches.some((key) => change.affectsConfiguration(key))) winnow.steps.mark("switch");
    }),
  );
  winnow.own(vscode.workspace.onDidGrantWorkspaceTrust(changed));
  changed();
  command(winnow, "winnow.showMenu", async () => showMenu((await status()).menu, { title: "Winnow" }));
  registerCommands(winnow, store);
}

function drawItem(item: vscode.StatusBarItem, status: StatusResult): void {
  item.text = status.text;
  item.tooltip = markdown(status.tooltip);
  // Text of servers and users is escaped and cannot contain one of these links.
  item.tooltip.isTrusted = { enabledCommands: linked };
  item.accessibilityInformation = { label: status.accessibility, role: "button" };
  item.backgroundColor = status.warning === true ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  item.show();
}

function registerCommands(winnow: Winnow, store: Store): void {
  command(winnow, "winnow.toggleRouting", () => setRouting(isRoutingOff()));
  command(winnow, "winnow.toggleShadow", () => setShadow(!isShadow()));
  command(winnow, "winnow.pickMode", async () => {
    const { modes, current } = store.modes;
    if (modes.length === 0) {
      const open = "Open winnow.json";
      const text = "There is no mode yet. Define one under “modes” in .vscode/winnow.json, or in .roomodes.";
      if ((await vscode.window.showInformationMessage(text, open)) === open) {
        await vscode.commands.executeCommand("winnow.openWorkspaceFile");
      }
      return;
    }
    const mode = await pickMode(modes, current, "Which mode? Running tasks follow with their next message");
    if (mode !== undefined && mode !== current) await winnow.daemon.request(ModeSet, { mode });
  });
}

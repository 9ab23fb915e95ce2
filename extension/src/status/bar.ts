import * as vscode from "vscode";
import type { Daemon } from "../daemon/client";
import { openFile } from "../host/messages";
import type { HostModels } from "../models/register";
import { ModeSet } from "../protocol.gen";
import { pickMode } from "../views/pick";
import { command } from "../views/run";
import type { Store } from "../views/store";
import { markdown } from "../views/treeitem";
import type { Winnow } from "../winnow";
import { menuEntries } from "./menu";
import { isRoutingOff, isShadow, setRouting, setShadow } from "./routing";
import { statusText } from "./text";

/** What the tooltip links to. */
const linked = ["winnow.useModel", "winnow.toggleRouting", "winnow.pickMode", "winnow.showServers", "winnow.why"];

/** Shows the item of the status bar and its menu. */
export function registerStatus(winnow: Winnow, store: Store, models: HostModels): void {
  const item = winnow.own(vscode.window.createStatusBarItem("winnow.status", vscode.StatusBarAlignment.Right, 99));
  item.name = "Winnow";
  item.command = "winnow.showMenu";
  const draw = () => {
    drawItem(item, winnow.daemon, store, models.routed());
    void vscode.commands.executeCommand("setContext", "winnow.routing", isRoutingOff() ? "off" : "on");
    void vscode.commands.executeCommand("setContext", "winnow.hasModes", store.modes.modes.length > 0);
  };
  for (const event of [store.onDidChangeServers, store.onDidChangeTasks, store.onDidChangeModes])
    winnow.own(event(draw));
  winnow.own(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("winnow")) draw();
    }),
  );
  winnow.own(
    winnow.daemon.onDidChangeState(({ kind }) => {
      void vscode.commands.executeCommand("setContext", "winnow.daemon", kind);
      draw();
    }),
  );
  void vscode.commands.executeCommand("setContext", "winnow.daemon", winnow.daemon.state.kind);
  draw();
  registerCommands(winnow, store, models);
}

/** Why the daemon does not run, and what to do; undefined while it runs, is being started, or was ended in order. */
function stopped({ state }: Daemon): string | undefined {
  return state.kind === "stopped" ? state.error?.text : undefined;
}

function drawItem(item: vscode.StatusBarItem, daemon: Daemon, store: Store, models: readonly string[]): void {
  const { modes, current } = store.modes;
  const status = statusText({
    starting: daemon.state.kind === "starting" || daemon.state.kind === "restarting",
    stopped: stopped(daemon),
    task: store.tasks.at(-1),
    mode: modes.find(({ slug }) => slug === current)?.name,
    servers: store.servers,
    faults: store.faults,
    models,
    off: isRoutingOff(),
    shadow: isShadow(),
    week: store.week,
  });
  item.text = status.text;
  item.tooltip = markdown(status.tooltip);
  // What servers and users write is escaped, and no link of theirs is one of these.
  item.tooltip.isTrusted = { enabledCommands: linked };
  item.accessibilityInformation = { label: status.accessibility, role: "button" };
  item.backgroundColor = status.warning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  item.show();
}

function registerCommands(winnow: Winnow, store: Store, models: HostModels): void {
  command(winnow, "winnow.showMenu", () => showMenu(winnow.daemon, store, models.routed()));
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

async function showMenu(daemon: Daemon, store: Store, models: readonly string[]): Promise<void> {
  const entries = menuEntries({
    stopped: stopped(daemon),
    off: isRoutingOff(),
    shadow: isShadow(),
    modes: store.modes,
    servers: store.servers,
    faults: store.faults,
    models,
    tasks: store.tasks,
  });
  const items = entries.map((entry) => ({
    ...entry,
    ...(entry.command === undefined && entry.fault === undefined && { kind: vscode.QuickPickItemKind.Separator }),
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: "Winnow" });
  const fault = chosen?.fault;
  if (fault !== undefined) await openFile(fault.file, fault.line, fault.column);
  else if (chosen?.command !== undefined) await vscode.commands.executeCommand(chosen.command, chosen.server);
}

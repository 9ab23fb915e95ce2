// First-run messages: that there is no model or no server, with the next step. Also the commands that show the first
// steps and clear all data.

import * as vscode from "vscode";
import { usableModels } from "../models/usable";
import { CatalogList, ImportList } from "../protocol/protocol.gen";
import { command, offer } from "../window/run";
import type { Winnow } from "../window/winnow";
import { clearAll, noticePrefix } from "./clear";

/** The key that records that the user was told. */
const toldKey = `${noticePrefix}firstRun`;

/** How long models and servers may take to appear, in milliseconds. */
const patience = 15_000;

/** Registers the commands, and checks once for models and servers. */
export function registerFirstRun(winnow: Winnow): void {
  command(winnow, "winnow.clearData", () => clearData(winnow));
  command(winnow, "winnow.getStarted", async () => {
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${winnow.context.extension.id}#start`);
    winnow.steps.tellAgain();
  });
  if (winnow.context.globalState.get<boolean>(toldKey) === true) return;
  const timer = setTimeout(() => {
    tell(winnow).catch((err: unknown) => winnow.log.debug(`first run: ${String(err)}`));
  }, patience);
  winnow.own({
    dispose: () => clearTimeout(timer),
  });
}

async function tell({ context, daemon }: Winnow): Promise<void> {
  // Errors of the daemon are shown elsewhere.
  if (daemon.state.kind !== "ready") return;
  const models = await usableModels();
  const { servers } = await daemon.request(CatalogList, { serversOnly: true });
  const noServer =
    servers.length === 0 &&
    // VS Code may have servers that it has not started yet.
    !vscode.lm.tools.some(({ tags }) => tags.includes("mcp")) &&
    (await daemon.request(ImportList, {})).files.length === 0;
  if (models.length > 0 && !noServer) return;
  await context.globalState.update(toldKey, true);
  if (models.length === 0) await tellNoModel();
  else await tellNoServer();
}

const start = { "Get Started": () => vscode.commands.executeCommand("winnow.getStarted") };

function tellNoModel(): Promise<void> {
  const text =
    "Winnow chooses the tools for a language model, and VS Code has no model yet. Sign in to GitHub Copilot, or add a model of your own with its key.";
  return offer(vscode.window.showInformationMessage, text, {
    "Manage Models": () => vscode.commands.executeCommand("workbench.action.chat.manage"),
    ...start,
  });
}

function tellNoServer(): Promise<void> {
  const text =
    "Winnow found no MCP server yet, neither of its own nor of VS Code or another client. Add one to .vscode/winnow.json.";
  return offer(vscode.window.showInformationMessage, text, {
    "Add a Server": () => vscode.commands.executeCommand("winnow.openWorkspaceFile"),
    ...start,
  });
}

/** Clears cached and learned data, after confirmation. */
async function clearData({ daemon, context }: Winnow): Promise<void> {
  const clear = "Clear";
  const detail =
    "Winnow forgets which tools you use and which models had to load, what it remembers of your servers' tools, long results that models were reading on in, chats kept for a reload of the window, and what it has told you once. Your files, stored inputs and open tasks stay.";
  const chosen = await vscode.window.showWarningMessage(
    "Clear caches and learned data?",
    { modal: true, detail },
    clear,
  );
  if (chosen !== clear) return;
  await clearAll({ daemon, globalState: context.globalState });
  void vscode.window.showInformationMessage("Winnow's caches and learned data are cleared.");
}

// "Import Servers…" and its undo. The daemon computes the changes and makes them on disk; this file lets the user
// pick, review and confirm.

import * as vscode from "vscode";
import { coalesce } from "../base/coalesce";
import { count, plainMessage } from "../base/format";
import { usableModels } from "../models/usable";
import {
  ImportApply,
  type ImportFile,
  ImportHistory,
  ImportList,
  ImportPlan,
  type ImportPlanParams,
  ImportPlanUndo,
  type ImportRecord,
  type ImportSetting,
  ImportUndo,
} from "../protocol/protocol.gen";
import { attempt, command, offer } from "../window/run";
import type { Winnow } from "../window/winnow";
import { gatewayInVSCode, gatewaySetting } from "./gateway";
import { Preview } from "./preview";

/** The context key that shows the command: moved servers can be used. */
const canServeKey = "winnow.canServe";

/** Registers the commands. */
export function registerImport(winnow: Winnow): void {
  const importer = new Importer(winnow);
  winnow.own(importer.preview.register());
  command(winnow, "winnow.importServers", () => importer.run());
  command(winnow, "winnow.undoImport", () => importer.undo());
  // One at a time: a late older response would win.
  const check = coalesce(
    () => offerImport(winnow),
    (err) => winnow.log.debug(`import: ${String(err)}`),
  );
  winnow.own(vscode.lm.onDidChangeChatModels(check));
  winnow.own(winnow.settings.onDidChange(check));
  check();
}

/** Shows the command only while the gateway, or the participant with a model, can use moved servers. */
async function offerImport(winnow: Winnow): Promise<void> {
  const serves = (await gatewayInVSCode(winnow)) || (await usableModels()).length > 0;
  await vscode.commands.executeCommand("setContext", canServeKey, serves);
}

class Importer {
  readonly #winnow: Winnow;
  readonly preview = new Preview();

  constructor(winnow: Winnow) {
    this.#winnow = winnow;
  }

  /** Asks what to move, shows the diff, confirms, and moves. */
  async run(): Promise<void> {
    const { daemon } = this.#winnow;
    const { files } = await daemon.request(ImportList, {});
    if (files.length === 0) {
      void vscode.window.showInformationMessage(
        "No other client's file with MCP servers was found in this workspace or in your home folder.",
      );
      return;
    }
    const picked = await pickFile(files);
    if (picked === undefined || !(await saved(picked.uri, picked.target))) return;
    // An unsaved file may have other servers.
    const file = (await daemon.request(ImportList, {})).files.find(({ uri }) => uri === picked.uri) ?? picked;
    const servers = await pickServers(file);
    if (servers === undefined || servers.length === 0) return;
    await this.#confirmAndMove(file.client, { source: file.uri, target: file.target, servers });
  }

  async #confirmAndMove(client: string, plan: ImportPlanParams): Promise<void> {
    const { daemon } = this.#winnow;
    const { servers, changes, words } = await daemon.request(ImportPlan, plan);
    if (servers.length === 0) {
      void vscode.window.showInformationMessage(plainMessage(`Nothing to import. ${words}`.trim()));
      return;
    }
    const moving = count(servers.length, "server");
    await this.preview.during(`Import ${moving} from ${client}`, changes, async () => {
      const leaves = client === "VS Code" && !(await gatewayInVSCode(this.#winnow));
      const chosen = await askMove(`Move ${moving} to ${nameOf(plan.target)}?`, leaves, words);
      if (chosen === undefined) return;
      const settings = chosen === moveWithGateway ? [gatewayChange()] : [];
      const { import: id } = await daemon.request(ImportApply, { plan, changes, settings });
      for (const { name, after } of settings) await update(name, after);
      void attempt(this.#winnow, () => this.#tellMoved(id, moving));
    });
  }

  async #tellMoved(id: string, moved: string): Promise<void> {
    const text = `${moved} moved to Winnow, which runs them now. “Winnow: Undo Import” brings them back, and so does uninstalling Winnow, at VS Code's next start.`;
    await offer(vscode.window.showInformationMessage, text, {
      Undo: async () => {
        // Messages cannot be removed: one that offers the undo may outlive the move.
        const { imports } = await this.#winnow.daemon.request(ImportHistory, {});
        const record = imports.find((each) => each.import === id);
        if (record !== undefined) return this.#confirmAndUndo(record);
        void vscode.window.showInformationMessage(`${moved} had been put back before; nothing was changed now.`);
      },
    });
  }

  /** Asks which move to undo, shows the diff, and undoes it. */
  async undo(): Promise<void> {
    const { imports, broken } = await this.#winnow.daemon.request(ImportHistory, {});
    for (const { folder, reason } of broken) {
      void vscode.window.showWarningMessage(
        `An import cannot be undone: its record in ${folder} cannot be read (${reason}). The files as they were before it are kept there; copy back what you need, then delete the folder.`,
      );
    }
    if (imports.length === 0) {
      if (broken.length === 0) void vscode.window.showInformationMessage("There is no import to undo.");
      return;
    }
    const items = imports.map((record) => ({
      label: `${count(record.servers.length, "server")} from ${record.client}`,
      description: nameOf(record.source),
      detail: record.servers.join(", "),
      record,
    }));
    const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { title: "Undo Import" });
    if (chosen !== undefined) await this.#confirmAndUndo(chosen.record);
  }

  async #confirmAndUndo({ import: id, source, target, servers: names, settings = [] }: ImportRecord): Promise<void> {
    const { daemon } = this.#winnow;
    if (!(await saved(source, target))) return;
    const { changes, words } = await daemon.request(ImportPlanUndo, { import: id });
    const servers = count(names.length, "server");
    await this.preview.during("Undo Import", changes, async () => {
      const undo = "Undo";
      const text = `Put ${servers} back into ${nameOf(source)}?`;
      const options = { modal: true, detail: words };
      if ((await vscode.window.showInformationMessage(text, options, undo)) !== undo) return;
      await daemon.request(ImportUndo, { import: id, changes });
      for (const setting of settings) await changeBack(setting);
      void vscode.window.showInformationMessage(`${servers} put back into ${nameOf(source)}.`);
    });
  }
}

/** Returns the display name of a file: its path in the workspace, or the whole path. */
function nameOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true));
}

/** Makes the user save the files that the daemon reads and writes; false if they refuse. */
async function saved(...uris: readonly string[]): Promise<boolean> {
  const files = uris.map((uri) => vscode.Uri.parse(uri, true).toString());
  const unsaved = vscode.workspace.textDocuments.filter(
    ({ isDirty, uri }) => isDirty && files.includes(uri.toString()),
  );
  if (unsaved.length === 0) return true;
  const names = unsaved.map(({ uri }) => vscode.workspace.asRelativePath(uri)).join(" and ");
  const save = "Save";
  if ((await vscode.window.showInformationMessage(`Save ${names} first?`, { modal: true }, save)) !== save)
    return false;
  return (await Promise.all(unsaved.map((document) => document.save()))).every(Boolean);
}

const moveOnly = "Move";
const moveWithGateway = "Move, and Offer Through the Gateway";

/** @param leaves whether VS Code's agent loses the servers unless it gets the gateway */
async function askMove(
  text: string,
  leaves: boolean,
  words: string,
): Promise<typeof moveOnly | typeof moveWithGateway | undefined> {
  const agent = leaves ? "VS Code's own agent has them then through the gateway only." : "";
  const detail = ["A backup is kept.", agent, words].filter((each) => each !== "").join("\n\n");
  return vscode.window.showInformationMessage(
    text,
    { modal: true, detail },
    ...(leaves ? ([moveWithGateway, moveOnly] as const) : ([moveOnly] as const)),
  );
}

function gatewayChange(): ImportSetting {
  const name = `winnow.${gatewaySetting}`;
  const before = vscode.workspace.getConfiguration().inspect(name)?.globalValue;
  return { name, ...(before !== undefined && { before }), after: true, target: "user" };
}

/** Changes a setting of the user: a workspace's may only be stricter. */
async function update(name: string, value: unknown, target = vscode.ConfigurationTarget.Global): Promise<void> {
  await vscode.workspace.getConfiguration().update(name, value, target);
}

/** Restores a setting, unless it was changed since. Earlier versions wrote the workspace's, without the target. */
async function changeBack({ name, before, after, target }: ImportSetting): Promise<void> {
  const said = vscode.workspace.getConfiguration().inspect(name);
  if (target === undefined && said?.workspaceValue === after)
    await update(name, before, vscode.ConfigurationTarget.Workspace);
  else if (said?.globalValue === after) await update(name, before);
}

async function pickFile(files: readonly ImportFile[]): Promise<ImportFile | undefined> {
  const items = files.map((file) => ({
    label: file.client,
    description: nameOf(file.uri),
    detail: file.servers.map(({ name }) => name).join(", "),
    file,
  }));
  const options = { title: "Import Servers (1 of 2)", placeHolder: "Whose servers should Winnow run?" };
  return (await vscode.window.showQuickPick(items, options))?.file;
}

async function pickServers({ servers, client }: ImportFile): Promise<string[] | undefined> {
  const items = servers.map(({ name, state, words = "" }) => ({
    label: name,
    description: words,
    picked: state === "new" || state === "merges",
  }));
  const options = {
    title: "Import Servers (2 of 2)",
    placeHolder: `Which servers shall Winnow run? They leave ${client}'s file`,
    canPickMany: true,
  } as const;
  return (await vscode.window.showQuickPick(items, options))?.map(({ label }) => label);
}

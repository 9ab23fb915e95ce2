// "Import Servers…" and its way back. What a move changes is the daemon's to
// say; here it is picked, shown, confirmed and applied.

import * as vscode from "vscode";
import { usableModels } from "../models/usable";
import {
  ImportDidUndo,
  type ImportFile,
  ImportHistory,
  ImportList,
  ImportPlan,
  type ImportPlanParams,
  type ImportRecord,
  type ImportSetting,
  type ImportState,
  ImportUndo,
  ImportWillApply,
} from "../protocol.gen";
import { coalesce } from "../views/coalesce";
import { count } from "../views/format";
import { command } from "../views/run";
import type { Winnow } from "../winnow";
import { applyEdits, nameOf, readDocument, restrictLike, unsavedDocuments } from "./files";
import { gatewayInVSCode, gatewaySetting } from "./gateway";
import { noteText } from "./notes";
import { Preview } from "./preview";

/** The context key that shows the command: something can serve what is moved. */
const canServeKey = "winnow.canServe";

/** Registers the commands. */
export function registerImport(winnow: Winnow): void {
  const importer = new Importer(winnow);
  winnow.own(importer.preview.register());
  command(winnow, "winnow.importServers", () => importer.run());
  command(winnow, "winnow.undoImport", () => importer.undo());
  // One at a time: an early answer that comes late would stand.
  const check = coalesce(offer, (err) => winnow.log.debug(`import: ${String(err)}`));
  winnow.own(vscode.lm.onDidChangeChatModels(check));
  winnow.own(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("winnow.gateway")) check();
    }),
  );
  check();
}

/** Shows the command only while the gateway or the participant, which needs a model, can serve what is moved. */
async function offer(): Promise<void> {
  const serves = gatewayInVSCode() || (await usableModels()).length > 0;
  await vscode.commands.executeCommand("setContext", canServeKey, serves);
}

class Importer {
  readonly #winnow: Winnow;
  readonly preview = new Preview();

  constructor(winnow: Winnow) {
    this.#winnow = winnow;
  }

  /** Asks what to move, shows the diff, asks again, and moves. */
  async run(): Promise<void> {
    const { files } = await this.#winnow.daemon.request(ImportList, { documents: unsavedDocuments() });
    if (files.length === 0) {
      void vscode.window.showInformationMessage(
        "No other client's file with MCP servers was found in this workspace or in your home folder.",
      );
      return;
    }
    const file = await pickFile(files);
    if (file === undefined) return;
    const servers = await pickServers(file);
    if (servers === undefined || servers.length === 0) return;
    const [source, target] = await Promise.all([readDocument(file.uri), readDocument(file.target)]);
    await this.#confirmAndMove(file, { source, target, servers });
  }

  async #confirmAndMove({ client }: ImportFile, plan: ImportPlanParams): Promise<void> {
    const { daemon } = this.#winnow;
    const { servers, edits, notes } = await daemon.request(ImportPlan, plan);
    const told = noteText(notes, nameOf);
    if (servers.length === 0) {
      void vscode.window.showInformationMessage(`Nothing to import. ${told}`.trim());
      return;
    }
    const files = [plan.source, plan.target];
    const moving = count(servers.length, "server");
    await this.preview.show(`Import ${moving} from ${client}`, edits, files);
    try {
      const leaves = client === "VS Code" && !gatewayInVSCode();
      const chosen = await askMove(`Move ${moving} to ${nameOf(plan.target.uri)}?`, leaves, told, unsavedNames(files));
      if (chosen === undefined) return;
      const settings = chosen === moveWithGateway ? [gatewayChange()] : [];
      const { import: id } = await daemon.request(ImportWillApply, { plan, settings });
      await restrictLike(plan.target.uri, plan.source.uri);
      await applyEdits(edits, files);
      for (const { name, after } of settings) await update(name, after);
      void this.#tellMoved(id, moving);
    } finally {
      await this.preview.close();
    }
  }

  async #tellMoved(id: string, moved: string): Promise<void> {
    const undo = "Undo";
    const text = `${moved} moved behind Winnow. “Winnow: Undo Import” brings them back, and so does uninstalling Winnow, at VS Code's next start.`;
    if ((await vscode.window.showInformationMessage(text, undo)) !== undo) return;
    // No API takes a message off the screen: one that offers to undo a move may outlive that.
    const record = (await this.#winnow.daemon.request(ImportHistory, {})).imports.find((each) => each.import === id);
    if (record === undefined) {
      void vscode.window.showInformationMessage(`${moved} had been put back before; nothing was changed now.`);
      return;
    }
    await this.#confirmAndUndo(record);
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

  async #confirmAndUndo(record: ImportRecord): Promise<void> {
    const { daemon } = this.#winnow;
    const [source, target] = await Promise.all([readDocument(record.source), readDocument(record.target)]);
    const files = [source, target];
    const { edits, notes } = await daemon.request(ImportUndo, { import: record.import, source, target });
    const servers = count(record.servers.length, "server");
    await this.preview.show("Undo Import", edits, files);
    try {
      const undo = "Undo";
      const detail = [noteText(notes, nameOf), unsavedNames(files)].filter((text) => text !== "").join("\n\n");
      const text = `Put ${servers} back into ${nameOf(record.source)}?`;
      if ((await vscode.window.showInformationMessage(text, { modal: true, detail }, undo)) !== undo) return;
      await applyEdits(edits, files);
      for (const setting of record.settings ?? []) await changeBack(setting);
      await daemon.request(ImportDidUndo, { import: record.import });
      void vscode.window.showInformationMessage(`${servers} put back into ${nameOf(record.source)}.`);
    } finally {
      await this.preview.close();
    }
  }
}

const moveOnly = "Move";
const moveWithGateway = "Move, and Offer Through the Gateway";

/** @param leaves whether VS Code's own agent loses the servers, unless it gets the gateway */
async function askMove(
  text: string,
  leaves: boolean,
  ...details: readonly string[]
): Promise<typeof moveOnly | typeof moveWithGateway | undefined> {
  const detail = [
    "A backup is kept.",
    leaves ? "VS Code's own agent has them then through the gateway only." : "",
    ...details,
  ].filter((each) => each !== "");
  const options = { modal: true, detail: detail.join("\n\n") };
  return vscode.window.showInformationMessage(
    text,
    options,
    ...(leaves ? ([moveWithGateway, moveOnly] as const) : ([moveOnly] as const)),
  );
}

/** Says which of the files have changes that the move saves too. */
function unsavedNames(files: readonly { uri: string }[]): string {
  const unsaved = unsavedDocuments().map(({ uri }) => uri);
  const names = files
    .filter(({ uri }) => unsaved.includes(vscode.Uri.parse(uri, true).toString()))
    .map(({ uri }) => nameOf(uri));
  return names.length === 0 ? "" : `Its unsaved changes are saved with it: ${names.join(", ")}.`;
}

function gatewayChange(): ImportSetting {
  const name = `winnow.${gatewaySetting}`;
  const before = vscode.workspace.getConfiguration().inspect(name)?.workspaceValue;
  return { name, ...(before !== undefined && { before }), after: true };
}

async function update(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Workspace);
}

/** Changes a setting back, unless somebody has changed it since. */
async function changeBack({ name, before, after }: ImportSetting): Promise<void> {
  if (vscode.workspace.getConfiguration().inspect(name)?.workspaceValue === after) await update(name, before);
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

const stateWords: Record<ImportState, string> = {
  new: "",
  merges: "joins the rules for its tools in winnow.json",
  taken: "is in winnow.json already, and stays where it is",
  unusable: "stays where it is",
};

async function pickServers({ servers, client }: ImportFile): Promise<string[] | undefined> {
  const items = servers.map(({ name, state, problem = "" }) => ({
    label: name,
    description: [stateWords[state], problem].filter((words) => words !== "").join(": "),
    picked: state === "new" || state === "merges",
  }));
  const options = {
    title: "Import Servers (2 of 2)",
    placeHolder: `Which servers move behind Winnow? They leave ${client}'s file`,
    canPickMany: true,
  } as const;
  return (await vscode.window.showQuickPick(items, options))?.map(({ label }) => label);
}

// "Import Servers…" and its way back.

import * as vscode from "vscode";
import { usableModels } from "../models/usable";
import { coalesce } from "../views/coalesce";
import { count } from "../views/format";
import { command } from "../views/run";
import type { Winnow } from "../winnow";
import { findCandidates, userDir } from "./candidates";
import { type Candidate, vscodeFile } from "./clientfiles";
import { gatewayInVSCode, gatewaySetting } from "./gateway";
import { Moves, read } from "./moves";
import { type ImportPlan, type ImportRecord, planImport } from "./plan";

/** The context key that shows the command: something can serve what is moved. */
const canServeKey = "winnow.canServe";

/** The scheme of the texts that the diff shows. */
const previewScheme = "winnow-preview";

/** Registers the commands. */
export function registerImport(winnow: Winnow): void {
  const importer = new Importer(winnow);
  winnow.own(vscode.workspace.registerTextDocumentContentProvider(previewScheme, importer.previews));
  command(winnow, "winnow.importServers", () => importer.run());
  command(winnow, "winnow.undoImport", () => importer.undo());
  // One at a time: an early answer that comes late would stand.
  const check = coalesce(offer, (err) => {
    winnow.log.debug(`import: ${String(err)}`);
  });
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
  readonly #moves = new Moves(userDir());
  readonly #texts = new Map<string, string>();

  /** The texts of the diff, by path. */
  readonly previews: vscode.TextDocumentContentProvider = {
    provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? "",
  };

  constructor(winnow: Winnow) {
    this.#winnow = winnow;
  }

  /** Asks what to move, shows the diff, asks again, and moves. */
  async run(): Promise<void> {
    const candidates = await findCandidates(this.#winnow.context);
    if (candidates.length === 0) {
      void vscode.window.showInformationMessage(
        "No other client's file with MCP servers was found in this workspace or in your home folder.",
      );
      return;
    }
    const candidate = await pickFile(candidates);
    if (candidate === undefined) return;
    const names = await pickServers(candidate);
    if (names === undefined || names.length === 0) return;
    const plan = planImport(
      candidate.file,
      names,
      { path: candidate.path, text: candidate.text },
      { path: candidate.target, text: await read(candidate.target) },
    );
    if (plan.servers.length === 0) {
      void vscode.window.showInformationMessage(`Nothing to import. ${plan.notes.join(" ")}`);
      return;
    }
    await this.#confirmAndMove(plan);
  }

  async #confirmAndMove(plan: ImportPlan): Promise<void> {
    saved(plan.source.path);
    saved(plan.target.path);
    await this.#showDiff(`Import ${count(plan.servers.length, "server")} from ${plan.client.client}`, plan);
    const leaves = plan.client === vscodeFile && !gatewayInVSCode();
    const move = "Move";
    const withGateway = "Move, and Offer Through the Gateway";
    const loss = leaves ? " VS Code's own agent has them then through the gateway only." : "";
    const text = `Move ${count(plan.servers.length, "server")} to ${vscode.workspace.asRelativePath(plan.target.path)}? A backup is kept.${loss} ${plan.notes.join(" ")}`;
    const chosen = await vscode.window.showInformationMessage(text.trim(), ...(leaves ? [withGateway, move] : [move]));
    if (chosen === undefined) return;
    const record = await this.#moves.make(plan, new Date());
    if (chosen === withGateway) {
      await vscode.workspace
        .getConfiguration("winnow")
        .update(gatewaySetting, true, vscode.ConfigurationTarget.Workspace);
    }
    await this.#tellMoved(record);
  }

  async #tellMoved(record: ImportRecord): Promise<void> {
    const undo = "Undo";
    const text = `${count(record.servers.length, "server")} moved behind Winnow. “Winnow: Undo Import” brings them back, and so does uninstalling Winnow, at VS Code's next start.`;
    if ((await vscode.window.showInformationMessage(text, undo)) === undo) await this.#undo(record);
  }

  /** Asks which move to undo, shows the diff, and undoes it. */
  async undo(): Promise<void> {
    const { records, broken } = await this.#moves.list();
    for (const { dir, reason } of broken) {
      void vscode.window.showWarningMessage(
        `An import cannot be undone: its record in ${dir} cannot be read (${reason}). The files as they were before it are kept there; copy back what you need, then delete the folder.`,
      );
    }
    const items = records.map((record) => ({
      label: `${count(record.servers.length, "server")} from ${record.client.client}`,
      description: record.source.path,
      detail: record.servers.map(({ name }) => name).join(", "),
      record,
    }));
    if (items.length === 0) {
      if (broken.length === 0) void vscode.window.showInformationMessage("There is no import to undo.");
      return;
    }
    const title = "Undo Import";
    const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { title });
    if (chosen === undefined) return;
    const { source, target, notes } = await this.#moves.plan(chosen.record);
    await this.#showDiff(title, { source, target: { ...target, after: target.after ?? "" } });
    const undo = "Undo";
    const text = `Put ${count(chosen.record.servers.length, "server")} back into ${vscode.workspace.asRelativePath(source.path)}? ${notes.join(" ")}`;
    if ((await vscode.window.showInformationMessage(text.trim(), undo)) === undo) await this.#undo(chosen.record);
  }

  async #undo(record: ImportRecord): Promise<void> {
    saved(record.source.path);
    saved(record.target.path);
    const servers = count(record.servers.length, "server");
    const file = vscode.workspace.asRelativePath(record.source.path);
    // No API takes a message off the screen: one that offers to undo a move may outlive that.
    const undone = await this.#moves.undo(record);
    void vscode.window.showInformationMessage(
      undone === undefined
        ? `${servers} had been put back into ${file} before; nothing was changed now.`
        : `${servers} put back into ${file}.`,
    );
  }

  /** Shows both files as they are and as they will be. */
  async #showDiff(title: string, plan: { source: Preview; target: Preview }): Promise<void> {
    this.#texts.clear(); // an earlier diff has been drawn, and its texts may hold secrets
    const changes = [plan.source, plan.target].map(({ path: file, before, after }) => [
      vscode.Uri.file(file),
      this.#preview(file, "before", before ?? ""),
      this.#preview(file, "after", after),
    ]);
    await vscode.commands.executeCommand("vscode.changes", title, changes);
  }

  #preview(file: string, side: string, text: string): vscode.Uri {
    // A name of its own each time: VS Code keeps what it once read.
    const uri = vscode.Uri.from({
      scheme: previewScheme,
      path: vscode.Uri.file(file).path,
      query: `${side} ${Date.now()}`,
    });
    this.#texts.set(uri.toString(), text);
    return uri;
  }
}

/** A file before and after. */
interface Preview {
  path: string;
  before: string | undefined;
  after: string;
}

async function pickFile(candidates: Candidate[]): Promise<Candidate | undefined> {
  const items = candidates.map((candidate) => ({
    label: candidate.file.client,
    description: vscode.workspace.asRelativePath(candidate.path),
    detail: candidate.names.join(", "),
    candidate,
  }));
  const options = { title: "Import Servers (1 of 2)", placeHolder: "Whose servers should Winnow run?" };
  return (await vscode.window.showQuickPick(items, options))?.candidate;
}

async function pickServers({ names, file }: Candidate): Promise<string[] | undefined> {
  const items = names.map((label) => ({ label, picked: true }));
  const options = {
    title: "Import Servers (2 of 2)",
    placeHolder: `Which servers move behind Winnow? They leave ${file.client}'s file`,
    canPickMany: true,
  } as const;
  return (await vscode.window.showQuickPick(items, options))?.map(({ label }) => label);
}

/** @throws Error when the file stands unsaved in an editor, which would write over what is moved */
function saved(file: string): void {
  const open = vscode.workspace.textDocuments.find(
    ({ uri, isDirty }) => isDirty && uri.scheme === "file" && uri.fsPath === file,
  );
  if (open !== undefined) throw new Error(`${file} has changes that are not saved. Save it, and try again.`);
}

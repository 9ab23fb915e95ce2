// The two files of a move, as VS Code has them: read with what is unsaved, and
// written so that a server is in both of them for a moment, and never in none.

import * as vscode from "vscode";
import type { DocumentEdit, TextDocument } from "../protocol.gen";
import { createPrivate, restrict } from "./permissions";
import { applied } from "./textedits";

/** The files that have unsaved changes, for a daemon that reads the disk. */
export function unsavedDocuments(): TextDocument[] {
  return vscode.workspace.textDocuments
    .filter(({ isDirty, languageId }) => isDirty && ["json", "jsonc"].includes(languageId))
    .map((document) => ({ uri: document.uri.toString(), text: document.getText() }));
}

/** A file as its editor has it. */
export async function readDocument(uri: string): Promise<TextDocument> {
  const at = vscode.Uri.parse(uri, true);
  return (await exists(at)) ? { uri, text: (await vscode.workspace.openTextDocument(at)).getText() } : { uri };
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/**
 * Makes changes one after the other, and saves each file before the next one.
 *
 * @param before the files as the edits were made for them
 * @throws Error when one has changed since, or cannot be written
 */
export async function applyEdits(edits: readonly DocumentEdit[], before: readonly TextDocument[]): Promise<void> {
  for (const { uri, text } of before) {
    if ((await readDocument(uri)).text !== text) throw new Error(`${nameOf(uri)} has changed meanwhile; try again`);
  }
  for (const edit of edits) await applyEdit(edit);
}

async function applyEdit({ uri, edits, create, delete: gone }: DocumentEdit): Promise<void> {
  const at = vscode.Uri.parse(uri, true);
  if (create === true) {
    await newFile(at, applied("", edits));
    return;
  }
  if (gone !== true && edits.length === 0) return;
  const change = new vscode.WorkspaceEdit();
  if (gone === true) change.deleteFile(at, { ignoreIfNotExists: true });
  for (const { range, newText } of edits) {
    const { start, end } = range;
    change.replace(at, new vscode.Range(start.line, start.character, end.line, end.character), newText);
  }
  if (!(await vscode.workspace.applyEdit(change))) throw new Error(`${nameOf(uri)} could not be changed`);
  if (gone === true) return;
  const document = await vscode.workspace.openTextDocument(at);
  if (!(await document.save())) throw new Error(`${nameOf(uri)} could not be saved`);
}

async function newFile(uri: vscode.Uri, text: string): Promise<void> {
  if (uri.scheme === "file") await createPrivate(uri.fsPath, text);
  else await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
}

/** Keeps from others what they may not read where it is now. */
export async function restrictLike(target: string, source: string): Promise<void> {
  const [to, from] = [vscode.Uri.parse(target, true), vscode.Uri.parse(source, true)];
  if (to.scheme === "file" && from.scheme === "file") await restrict(to.fsPath, from.fsPath);
}

/** What a person calls a file: its path in the workspace, or its whole one. */
export function nameOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true));
}

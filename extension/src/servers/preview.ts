// Shows what files are and what they will be, side by side.

import * as vscode from "vscode";
import type { DocumentEdit, TextDocument } from "../protocol.gen";
import { applied } from "./textedits";

/** The scheme of the texts that the diff shows. */
const scheme = "winnow-preview";

/** The one diff at a time. */
export class Preview implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  #title: string | undefined;

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  /** Shows what edits make of files. */
  async show(title: string, edits: readonly DocumentEdit[], before: readonly TextDocument[]): Promise<void> {
    this.#texts.clear(); // an earlier diff has been drawn, and its texts may hold secrets
    const changes = edits.map(({ uri, edits: changes, delete: gone }) => {
      const text = before.find((document) => document.uri === uri)?.text ?? "";
      return [
        vscode.Uri.parse(uri, true),
        this.#text(uri, "before", text),
        this.#text(uri, "after", gone === true ? "" : applied(text, changes)),
      ];
    });
    await vscode.commands.executeCommand("vscode.changes", title, changes);
    this.#title = title;
  }

  /** Takes the diff off the screen. */
  async close(): Promise<void> {
    const title = this.#title;
    this.#title = undefined;
    if (title === undefined) return;
    // No API names the editor of several diffs but its tab, whose label begins with the title.
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(tabs.filter(({ label }) => label.startsWith(title)));
    this.#texts.clear();
  }

  #text(file: string, side: string, text: string): vscode.Uri {
    // A name of its own each time: VS Code keeps what it once read.
    const uri = vscode.Uri.from({ scheme, path: vscode.Uri.parse(file, true).path, query: `${side} ${Date.now()}` });
    this.#texts.set(uri.toString(), text);
    return uri;
  }
}

// Shows files before and after a change, side by side.

import * as vscode from "vscode";
import type { FileChange } from "../protocol/protocol.gen";

/** The scheme of the documents in the diff. */
const scheme = "winnow-preview";

/** The diff; there is one at a time. */
export class Preview implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  /** Shows changes of files while a question about them is open. */
  async during<T>(title: string, changes: readonly FileChange[], ask: () => Promise<T>): Promise<T> {
    const resources = changes.map(({ uri, before = "", after = "" }) => [
      vscode.Uri.parse(uri, true),
      this.#text(uri, "before", before),
      this.#text(uri, "after", after),
    ]);
    await vscode.commands.executeCommand("vscode.changes", title, resources);
    try {
      return await ask();
    } finally {
      // The editor of several diffs can be found only by its tab, whose label begins with the title.
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      await vscode.window.tabGroups.close(tabs.filter(({ label }) => label.startsWith(title)));
      this.#texts.clear(); // they may hold secrets
    }
  }

  #text(file: string, side: string, text: string): vscode.Uri {
    // A new name each time, because VS Code caches contents.
    const uri = vscode.Uri.from({ scheme, path: vscode.Uri.parse(file, true).path, query: `${side} ${Date.now()}` });
    this.#texts.set(uri.toString(), text);
    return uri;
  }
}

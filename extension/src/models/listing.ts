// The host's tools with their servers, kept until VS Code or the files that
// name the servers have other ones.

import * as vscode from "vscode";
import { coalesce } from "../base/coalesce";
import type { Winnow } from "../window/winnow";
import type { Listing } from "./daemon";
import { labelsIn } from "./labels";

/** Where a folder of the workspace names its servers. */
const workspaceFile = ".vscode/mcp.json";

/** Knows the host's tools and the names of the servers in its files. */
export class Listings {
  /** The user's own mcp.json, beside the folder of the extensions' storage. */
  readonly #userFile: vscode.Uri;
  #files: readonly string[] = [];
  #listing: Listing | undefined;

  readonly #filesChanged: vscode.EventEmitter<void>;
  /** Fires when {@link inFiles} has changed. */
  readonly onDidChangeFiles: vscode.Event<void>;

  constructor(winnow: Winnow) {
    this.#filesChanged = winnow.own(new vscode.EventEmitter<void>());
    this.onDidChangeFiles = this.#filesChanged.event;
    this.#userFile = vscode.Uri.joinPath(winnow.context.globalStorageUri, "..", "..", "mcp.json");
    const { own, log } = winnow;
    // One at a time: an early answer that comes late would stand.
    const read = coalesce(
      () => this.#read(),
      (err) => log.debug(`the names of VS Code's servers: ${String(err)}`),
    );
    own(vscode.workspace.onDidChangeWorkspaceFolders(read));
    const userFile = new vscode.RelativePattern(vscode.Uri.joinPath(this.#userFile, ".."), "mcp.json");
    for (const pattern of [`**/${workspaceFile}`, userFile]) {
      const watcher = own(vscode.workspace.createFileSystemWatcher(pattern));
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete]) own(event(read));
    }
    read();
  }

  /** The names of the servers in VS Code's files. */
  get inFiles(): readonly string[] {
    return this.#files;
  }

  /** The host's tools as they are now. */
  get(): Listing {
    const { tools } = vscode.lm;
    const known = this.#listing;
    if (known !== undefined && sameTools(known.tools, tools)) return known;
    return (this.#listing = { tools: [...tools], servers: this.#files });
  }

  async #read(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const files = [this.#userFile, ...folders.map(({ uri }) => vscode.Uri.joinPath(uri, workspaceFile))];
    this.#files = (await Promise.all(files.map(labelsOf))).flat();
    this.#listing = undefined;
    this.#filesChanged.fire();
  }
}

/** The names in one file; none where there is no file. */
async function labelsOf(file: vscode.Uri): Promise<string[]> {
  return vscode.workspace.fs.readFile(file).then(
    (data) => labelsIn(new TextDecoder().decode(data)),
    () => [],
  );
}

/** VS Code lists a tool as the same object as long as nothing of it changes. */
function sameTools(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((tool, i) => tool === b[i]);
}

// The host's tools with their servers, cached until the tools or the files with the servers change.

import * as vscode from "vscode";
import { coalesce } from "../base/coalesce";
import type { Winnow } from "../window/winnow";
import type { Listing } from "../routing/daemon";
import { labelsIn } from "./labels";

/** The file with a workspace folder's servers. */
const workspaceFile = ".vscode/mcp.json";

/** Caches the host's tools and the names of the servers in its files. */
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
    // One at a time: a late older result would win.
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

  /** Returns the present tools of the host. */
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

/** Returns the names in one file; none if it does not exist. */
async function labelsOf(file: vscode.Uri): Promise<string[]> {
  return vscode.workspace.fs.readFile(file).then(
    (data) => labelsIn(new TextDecoder().decode(data)),
    () => [],
  );
}

/** VS Code lists an unchanged tool as the same object. */
function sameTools(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((tool, i) => tool === b[i]);
}

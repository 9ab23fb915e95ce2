// The host's tools with their servers, kept until VS Code or the files that
// name the servers have other ones.

import * as vscode from "vscode";
import { coalesce } from "../base/coalesce";
import { CatalogDidChange, CatalogList } from "../protocol/protocol.gen";
import type { Winnow } from "../window/winnow";
import { labelsIn } from "./labels";
import { Listing, anyTools } from "./servers";

/** Where a folder of the workspace names its servers. */
const workspaceFile = ".vscode/mcp.json";

/** Knows the host's tools and the names of the servers that VS Code and the daemon know. */
export class Listings {
  readonly #winnow: Winnow;
  /** The user's own mcp.json, beside the folder of the extensions' storage. */
  readonly #userFile: vscode.Uri;
  /** The names of the servers in VS Code's files, and of the daemon's. */
  #files: readonly string[] = [];
  #daemons: readonly string[] = [];
  #own = false;
  #listing: { tools: readonly vscode.LanguageModelToolInformation[]; listing: Listing } | undefined;

  readonly #filesChanged: vscode.EventEmitter<void>;
  /** Fires when {@link inFiles} has changed. */
  readonly onDidChangeFiles: vscode.Event<void>;

  constructor(winnow: Winnow) {
    this.#winnow = winnow;
    this.#filesChanged = winnow.own(new vscode.EventEmitter<void>());
    this.onDidChangeFiles = this.#filesChanged.event;
    this.#userFile = vscode.Uri.joinPath(winnow.context.globalStorageUri, "..", "..", "mcp.json");
    const { own, log, daemon } = winnow;
    // One at a time: an early answer that comes late would stand.
    const read = coalesce(
      () => this.#read(),
      (err) => log.debug(`the names of VS Code's servers: ${String(err)}`),
    );
    const ask = coalesce(
      () => this.#ask(),
      (err) => log.debug(`the daemon's servers are not known: ${String(err)}`),
    );
    own(daemon.onNotification(CatalogDidChange, ({ source }) => (source === "" ? ask() : undefined)));
    own(vscode.workspace.onDidChangeWorkspaceFolders(read));
    const userFile = new vscode.RelativePattern(vscode.Uri.joinPath(this.#userFile, ".."), "mcp.json");
    for (const pattern of [`**/${workspaceFile}`, userFile]) {
      const watcher = own(vscode.workspace.createFileSystemWatcher(pattern));
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete]) own(event(read));
    }
    read();
    ask();
  }

  /** Whether the daemon's servers have tools. */
  get hasOwn(): boolean {
    return this.#own;
  }

  /** The names of the servers in VS Code's files. */
  get inFiles(): readonly string[] {
    return this.#files;
  }

  /** The host's tools as they are now. */
  get(): Listing {
    const { tools } = vscode.lm;
    const known = this.#listing;
    if (known !== undefined && sameTools(known.tools, tools)) return known.listing;
    const listing = new Listing(tools, [...this.#daemons, ...this.#files]);
    this.#listing = { tools: [...tools], listing };
    return listing;
  }

  async #read(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const files = [this.#userFile, ...folders.map(({ uri }) => vscode.Uri.joinPath(uri, workspaceFile))];
    this.#files = (await Promise.all(files.map(labelsOf))).flat();
    this.#listing = undefined;
    this.#filesChanged.fire();
  }

  async #ask(): Promise<void> {
    const { servers } = await this.#winnow.daemon.request(CatalogList, { serversOnly: true });
    this.#daemons = servers.map((server) => server.name);
    this.#own = anyTools(servers);
    this.#listing = undefined;
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

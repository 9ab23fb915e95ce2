// The host's tools with their servers, kept until VS Code or the files that
// name the servers have other ones.

import * as vscode from "vscode";
import { CatalogDidChange, CatalogList } from "../protocol.gen";
import { coalesce } from "../views/coalesce";
import type { Winnow } from "../winnow";
import { LabelFiles } from "./labelfiles";
import { Listing } from "./servers";

/** Where a folder of the workspace names its servers. */
const workspaceFile = ".vscode/mcp.json";

/** Knows the host's tools and the names of the servers that VS Code and the daemon know. */
export class Listings {
  readonly #winnow: Winnow;
  readonly #files: LabelFiles;
  /** The names of the daemon's servers. */
  #daemons: readonly string[] = [];
  /** How many tools these have. */
  #own = 0;
  #listing: { tools: readonly vscode.LanguageModelToolInformation[]; listing: Listing } | undefined;

  constructor(winnow: Winnow) {
    this.#winnow = winnow;
    // One at a time: an early answer that comes late would stand.
    const ask = coalesce(
      () => this.#askDaemon(),
      (err) => winnow.log.debug(`the daemon's servers are not known: ${String(err)}`),
    );
    winnow.own(
      winnow.daemon.onNotification(CatalogDidChange, ({ source }) => {
        if (source === "") ask();
      }),
    );
    ask();
    this.#files = winnow.own(new LabelFiles({ read, watch }, () => (this.#listing = undefined)));
    // The user's own file lies beside the folder of the extensions' storage.
    this.#files.follow(vscode.Uri.joinPath(winnow.context.globalStorageUri, "..", "..", "mcp.json").toString());
    this.#followFolders({ added: vscode.workspace.workspaceFolders ?? [], removed: [] });
    winnow.own(vscode.workspace.onDidChangeWorkspaceFolders((change) => this.#followFolders(change)));
  }

  /** Whether the daemon's servers have tools. */
  get hasOwn(): boolean {
    return this.#own > 0;
  }

  /** The host's tools as they are now. */
  get(): Listing {
    const { tools } = vscode.lm;
    const known = this.#listing;
    if (known !== undefined && sameTools(known.tools, tools)) return known.listing;
    const listing = new Listing(tools, [...this.#daemons, ...this.#files.labels]);
    this.#listing = { tools: [...tools], listing };
    return listing;
  }

  async #askDaemon(): Promise<void> {
    const { servers } = await this.#winnow.daemon.request(CatalogList, { serversOnly: true });
    this.#daemons = servers.map((server) => server.name);
    this.#own = servers.reduce((sum, server) => sum + server.inScope, 0);
    this.#listing = undefined;
  }

  #followFolders({ added, removed }: vscode.WorkspaceFoldersChangeEvent): void {
    for (const { uri } of removed) this.#files.unfollow(vscode.Uri.joinPath(uri, workspaceFile).toString());
    for (const { uri } of added) this.#files.follow(vscode.Uri.joinPath(uri, workspaceFile).toString());
  }
}

async function read(file: string): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.parse(file, true)));
}

function watch(file: string, changed: () => void): vscode.Disposable {
  const uri = vscode.Uri.parse(file, true);
  const folder = vscode.Uri.joinPath(uri, "..");
  const name = uri.path.slice(uri.path.lastIndexOf("/") + 1);
  const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, name));
  const events = [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete];
  return vscode.Disposable.from(watcher, ...events.map((event) => event(changed)));
}

/** VS Code lists a tool as the same object as long as nothing of it changes. */
function sameTools(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((tool, i) => tool === b[i]);
}

// The host's tools with their servers, kept until VS Code or the files that
// name the servers have other ones.

import * as vscode from "vscode";
import { CatalogDidChange, CatalogList } from "../protocol.gen";
import type { Winnow } from "../winnow";
import { labelsIn } from "./labels";
import { Listing } from "./servers";

/** Knows the host's tools and the names of the servers that VS Code and the daemon know. */
export class Listings {
  readonly #winnow: Winnow;
  /** Servers by where they are named: a file, or the daemon. */
  readonly #labels = new Map<string, readonly string[]>();
  #listing: { tools: readonly vscode.LanguageModelToolInformation[]; listing: Listing } | undefined;

  constructor(winnow: Winnow) {
    this.#winnow = winnow;
    winnow.own(
      winnow.daemon.onNotification(CatalogDidChange, ({ source }) => {
        if (source === "") void this.#askDaemon();
      }),
    );
    void this.#askDaemon();
    // The user's own file lies beside the folder of the extensions' storage.
    this.#follow(vscode.Uri.joinPath(winnow.context.globalStorageUri, "..", ".."), "mcp.json");
    this.#followFolders(vscode.workspace.workspaceFolders ?? []);
    winnow.own(
      vscode.workspace.onDidChangeWorkspaceFolders(({ added }) => {
        this.#followFolders(added);
      }),
    );
  }

  /** The host's tools as they are now. */
  get(): Listing {
    const { tools } = vscode.lm;
    const known = this.#listing;
    if (known !== undefined && sameTools(known.tools, tools)) return known.listing;
    const listing = new Listing(tools, [...this.#labels.values()].flat());
    this.#listing = { tools: [...tools], listing };
    return listing;
  }

  #learn(from: string, labels: readonly string[]): void {
    this.#labels.set(from, labels);
    this.#listing = undefined;
  }

  async #askDaemon(): Promise<void> {
    try {
      const { servers } = await this.#winnow.daemon.request(CatalogList, { serversOnly: true });
      this.#learn(
        "daemon",
        servers.map((server) => server.name),
      );
    } catch (err) {
      this.#winnow.log.debug(`the daemon's servers are not known: ${String(err)}`);
    }
  }

  #followFolders(folders: readonly vscode.WorkspaceFolder[]): void {
    for (const { uri } of folders) this.#follow(uri, ".vscode/mcp.json");
  }

  /** Reads a file now and whenever it changes. */
  #follow(folder: vscode.Uri, file: string): void {
    const uri = vscode.Uri.joinPath(folder, file);
    const read = () => void this.#read(uri);
    const watcher = this.#winnow.own(
      vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, file)),
    );
    for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete]) this.#winnow.own(event(read));
    read();
  }

  async #read(uri: vscode.Uri): Promise<void> {
    try {
      this.#learn(uri.toString(), labelsIn(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri))));
    } catch {
      this.#learn(uri.toString(), []); // there is none
    }
  }
}

/** VS Code lists a tool as the same object as long as nothing of it changes. */
function sameTools(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((tool, i) => tool === b[i]);
}

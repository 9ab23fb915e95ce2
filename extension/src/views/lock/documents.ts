import * as vscode from "vscode";
import type { Daemon } from "../../daemon/client";
import { type LockChange, LockDiff, type LockRef } from "../../protocol.gen";
import { changeLabel } from "./words";

const scheme = "winnow-lock";

/** Shows both sides of a change, as texts that nobody can change or has to save. */
export class LockDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #daemon: Daemon;
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;
  readonly onDidChange = this.#changes.event;

  constructor(daemon: Daemon) {
    this.#daemon = daemon;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  /** Opens a change in the diff editor: what is locked beside what the server says now. */
  async show(change: LockChange): Promise<void> {
    const before = side(change, "before");
    const after = side(change, "after");
    for (const uri of [before, after]) this.#changes.fire(uri);
    const title = `${change.server}: ${changeLabel(change)} (locked ↔ now)`;
    await vscode.commands.executeCommand("vscode.diff", before, after, title, { preview: true });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { side, ref } = JSON.parse(uri.query) as Query;
    return (await this.#daemon.request(LockDiff, ref))[side];
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changes.dispose();
  }
}

interface Query {
  side: "before" | "after";
  ref: LockRef;
}

function side({ server, kind, name }: LockChange, which: Query["side"]): vscode.Uri {
  const ref: LockRef = { server, kind, ...(name !== undefined && { name }) };
  const query: Query = { side: which, ref };
  return vscode.Uri.from({ scheme, path: `/${server}/${name ?? kind}`, query: JSON.stringify(query) });
}

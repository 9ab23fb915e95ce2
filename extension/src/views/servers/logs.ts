import * as vscode from "vscode";
import type { Daemon } from "../../daemon/client";
import { ServerLog } from "../../protocol.gen";

const scheme = "winnow-log";

/** Shows what servers wrote, as texts that nobody can change or has to save. */
export class ServerLogs implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #daemon: Daemon;
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;
  readonly onDidChange = this.#changes.event;

  constructor(daemon: Daemon) {
    this.#daemon = daemon;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  /** Opens the log of a server, or brings the open one up to date. */
  async show(name: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${name}.log`, query: name });
    this.#changes.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, "log");
    const end = document.lineAt(document.lineCount - 1).range;
    await vscode.window.showTextDocument(document, { selection: end, preview: true });
  }

  async provideTextDocumentContent({ query: name }: vscode.Uri): Promise<string> {
    const { text } = await this.#daemon.request(ServerLog, { name });
    return text === "" ? `The server ${name} has written nothing.\n` : text;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changes.dispose();
  }
}

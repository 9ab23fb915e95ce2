import * as vscode from "vscode";

/** Read-only documents of one scheme. */
export class ReadOnlyDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly provideTextDocumentContent: (uri: vscode.Uri) => Promise<string>;
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changes.event;
  readonly #registration: vscode.Disposable;

  constructor(scheme: string, read: (uri: vscode.Uri) => Promise<string>) {
    this.provideTextDocumentContent = read;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  /** Updates open documents. */
  refresh(...uris: vscode.Uri[]): void {
    for (const uri of uris) this.#changes.fire(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changes.dispose();
  }
}

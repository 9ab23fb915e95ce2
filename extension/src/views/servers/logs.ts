import * as vscode from "vscode";
import { ServerLog } from "../../protocol/protocol.gen";
import { ReadOnlyDocuments } from "../../window/documents";
import type { Winnow } from "../../window/winnow";

const scheme = "winnow-log";

/** Returns a function that opens or updates the log of a server. */
export function serverLogs({ daemon, own }: Winnow): (name: string) => Promise<void> {
  const documents = own(
    new ReadOnlyDocuments(scheme, async ({ query: name }) => {
      const { text } = await daemon.request(ServerLog, { name });
      return text === "" ? `The server ${name} has written nothing.\n` : text;
    }),
  );
  return async (name) => {
    const uri = vscode.Uri.from({ scheme, path: `/${name}.log`, query: name });
    documents.refresh(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, "log");
    const end = document.lineAt(document.lineCount - 1).range;
    await vscode.window.showTextDocument(document, { selection: end, preview: true });
  };
}

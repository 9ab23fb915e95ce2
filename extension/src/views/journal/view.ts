import * as vscode from "vscode";
import { type JournalEntry, JournalList } from "../../protocol/protocol.gen";
import { ReadOnlyDocuments } from "../../window/documents";
import { command } from "../../window/run";
import type { Winnow } from "../../window/winnow";

const scheme = "winnow-journal";

/** Registers the command that shows the record of calls as a filterable list; a picked entry opens as stored. */
export function registerJournal(winnow: Winnow): void {
  const { daemon, own } = winnow;
  let shown: unknown;
  const documents = own(new ReadOnlyDocuments(scheme, () => Promise.resolve(`${JSON.stringify(shown, null, 2)}\n`)));
  command(winnow, "winnow.showJournal", async () => {
    const { entries, truncated } = await daemon.request(JournalList, {});
    if (entries.length === 0) {
      void vscode.window.showInformationMessage("No call is recorded yet.");
      return;
    }
    const picked = await vscode.window.showQuickPick(entries.map(item), {
      title: truncated === true ? `Record of Calls: the newest ${String(entries.length)}` : "Record of Calls",
      placeHolder: "Type a part of a server, a tool, a client or an outcome",
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (picked === undefined) return;
    shown = picked.record;
    const uri = vscode.Uri.from({ scheme, path: "/call.json" });
    documents.refresh(uri);
    await vscode.window.showTextDocument(uri, { preview: true });
  });
}

function item({ time, title, outcome, details, record }: JournalEntry): vscode.QuickPickItem & { record: unknown } {
  return {
    label: title,
    description: `${outcome} · ${new Date(time).toLocaleString()}`,
    detail: details,
    record,
  };
}

import * as vscode from "vscode";
import { type LockChangeRow, LockDiff, type LockRef } from "../../protocol/protocol.gen";
import { ReadOnlyDocuments } from "../../window/documents";
import type { Winnow } from "../../window/winnow";

const scheme = "winnow-lock";

/** Returns a function that opens a change in the diff editor: the locked content beside the current one. */
export function lockDiffs({ daemon, own }: Winnow): (change: LockChangeRow) => Promise<void> {
  const documents = own(
    new ReadOnlyDocuments(scheme, async (uri) => {
      const { side, ref } = JSON.parse(uri.query) as Query;
      return (await daemon.request(LockDiff, ref))[side];
    }),
  );
  return async (change) => {
    const before = side(change, "before");
    const after = side(change, "after");
    documents.refresh(before, after);
    const title = `${change.server}: ${change.row.label} (locked ↔ now)`;
    await vscode.commands.executeCommand("vscode.diff", before, after, title, { preview: true });
  };
}

interface Query {
  side: "before" | "after";
  ref: LockRef;
}

function side({ source = "", server, kind, name }: LockChangeRow, which: Query["side"]): vscode.Uri {
  const ref: LockRef = { source, server, kind, ...(name !== undefined && { name }) };
  const query: Query = { side: which, ref };
  return vscode.Uri.from({ scheme, path: `/${server}/${name ?? kind}`, query: JSON.stringify(query) });
}

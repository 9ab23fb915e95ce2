import * as vscode from "vscode";
import type { Daemon } from "../../daemon/client";
import { ServerConsent } from "../../protocol.gen";
import type { Winnow } from "../../winnow";
import { attempt } from "../run";
import type { Store } from "../store";
import { type WaitingFile, filesToAsk, question } from "./consent";

/** Where the files that were asked about are remembered. */
const askedKey = "winnow.consent.asked";

/** Asks about each file of another client once; after that, and after a no, the view Servers has the action. */
export function registerConsent(winnow: Winnow, store: Store): void {
  let asking = false;
  const { workspaceState } = winnow.context;
  const waiting = () => filesToAsk(store.servers, workspaceState.get<string[]>(askedKey, []));
  const ask = async () => {
    if (asking) return;
    asking = true;
    try {
      // Others may have come while a question was on the screen.
      for (let files = waiting(); files.length > 0; files = waiting()) {
        const asked = workspaceState.get<string[]>(askedKey, []);
        await workspaceState.update(askedKey, [...asked, ...files.map(({ file }) => file)]);
        await answer(winnow.daemon, files);
      }
    } finally {
      asking = false;
    }
  };
  winnow.own(store.onDidChangeServers(() => void attempt(winnow, ask)));
}

async function answer(daemon: Daemon, files: WaitingFile[]): Promise<void> {
  const allow = "Allow";
  const deny = "Don't Allow";
  const show = files.length === 1 ? "Show File" : "Show Files";
  const text = question(files, (file) => vscode.workspace.asRelativePath(file));
  const chosen = await vscode.window.showInformationMessage(text, allow, deny, show);
  for (const { file } of files) {
    if (chosen === allow || chosen === deny) await daemon.request(ServerConsent, { file, allow: chosen === allow });
    if (chosen === show) await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
  }
  if (chosen === show) await answer(daemon, files); // now that they were seen
}

import * as vscode from "vscode";
import { command } from "../../window/run";
import type { Winnow } from "../../window/winnow";
import { type Replay, replayPage } from "./replayrun";

/** Registers the command that replays clients' stored conversations and shows the report. */
export function registerReplay(winnow: Winnow, replay: Replay): void {
  command(winnow, "winnow.replay", async () => {
    const page = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: "Winnow: replaying the conversations that your clients have kept",
        cancellable: true,
      },
      async (_, token) => {
        const ending = new AbortController();
        token.onCancellationRequested(() => {
          ending.abort();
        });
        try {
          return await replayPage(replay, ending.signal);
        } catch (err) {
          if (token.isCancellationRequested) return undefined;
          throw err;
        }
      },
    );
    if (page === undefined) return;
    // The page has no scripts and external resources; its links open settings.
    const panel = vscode.window.createWebviewPanel("winnow.replay", "Replay", vscode.ViewColumn.Active, {
      enableCommandUris: ["workbench.action.openSettings"],
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.iconPath = vscode.Uri.joinPath(winnow.context.extensionUri, "extension", "media", "icon.svg");
    panel.webview.html = page;
  });
}

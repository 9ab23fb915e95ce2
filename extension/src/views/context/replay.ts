import * as vscode from "vscode";
import { command } from "../../window/run";
import type { Winnow } from "../../window/winnow";
import { type Replay, replayPage } from "./replayrun";

/** Shows what Winnow would have done with the conversations that clients have kept, when a person asks for it. */
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
    // The page runs nothing and loads nothing; its links lead to settings.
    const panel = vscode.window.createWebviewPanel("winnow.replay", "Replay", vscode.ViewColumn.Active, {
      enableCommandUris: ["workbench.action.openSettings"],
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.iconPath = vscode.Uri.joinPath(winnow.context.extensionUri, "extension", "media", "icon.svg");
    panel.webview.html = page;
  });
}

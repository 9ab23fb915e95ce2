// A page in an editor of its own: a webview with a bundled script and style sheet that draws the states it receives.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { coalesce } from "../base/coalesce";
import { attempt } from "../window/run";
import type { Winnow } from "../window/winnow";
import { pageHtml } from "./pagehtml";

/** The options of a page. */
export interface PageOptions<To, From> {
  viewType: string;
  title: string;
  /** The state to draw. */
  state: () => Promise<To>;
  /** Handles the user's actions. */
  hear: (message: From) => Promise<unknown>;
}

/** A page. It exists from show until it is closed. */
export class Page<To, From extends { type: string }> implements vscode.Disposable {
  readonly #winnow: Winnow;
  readonly #options: PageOptions<To, From>;
  #panel: vscode.WebviewPanel | undefined;
  /** Draws the page again. */
  readonly refresh: () => void;

  constructor(winnow: Winnow, options: PageOptions<To, From>) {
    this.#winnow = winnow;
    this.#options = options;
    this.refresh = coalesce(
      () => this.#draw(),
      (err) => {
        // The task may have been closed; the next change draws again.
        winnow.log.debug(`${options.title}: ${err instanceof Error ? err.message : String(err)}`);
      },
    );
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  /** Opens the page, or brings it to the front. */
  show(): void {
    if (this.#panel !== undefined) {
      this.#panel.reveal();
      this.refresh();
      return;
    }
    const { viewType, title, hear } = this.#options;
    const { extensionUri } = this.#winnow.context;
    const at = (...path: string[]) => vscode.Uri.joinPath(extensionUri, "extension", ...path);
    const panel = vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [at("dist"), at("media")],
    });
    panel.iconPath = at("media", "icon.svg");
    const { webview } = panel;
    // VS Code disposes of these with the panel.
    webview.onDidReceiveMessage((message: From | Ready) => {
      if (message.type === "ready") this.refresh();
      else void attempt(this.#winnow, () => hear(message as From));
    });
    panel.onDidChangeViewState(this.refresh);
    panel.onDidDispose(() => (this.#panel = undefined));
    this.#panel = panel;
    webview.html = pageHtml({
      title,
      script: webview.asWebviewUri(at("dist", "pages.js")).toString(),
      style: webview.asWebviewUri(at("media", "pages.css")).toString(),
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString("base64url"),
    });
  }

  async #draw(): Promise<void> {
    // A hidden page receives no messages; it is drawn when it is shown.
    const panel = this.#panel;
    if (panel?.visible !== true) return;
    const state = await this.#options.state();
    await panel.webview.postMessage(state);
  }
}

/** Sent by a page when it can draw. */
export interface Ready {
  type: "ready";
}

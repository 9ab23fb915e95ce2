// The webview of the pages: draws received states and reports the user's actions.

import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-option/index.js";
import "@vscode-elements/elements/dist/vscode-single-select/index.js";
import { type TemplateResult, html, render } from "lit";
import type { FromPanel, FromWhy, ToPage, ToPanel } from "../../messages";
import { panel, proxySection } from "./panel";
import { goTo, keepingFocus, resetFields, whyPage } from "./why";

/** The state that is kept while the page is hidden. */
interface Kept {
  /** The ids of the expanded rows. */
  open: string[];
  /** Whether the history of turns is expanded. */
  turns: boolean;
}

interface VSCode {
  postMessage(message: FromPanel | FromWhy | { type: "ready" }): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): VSCode;

const vscode = acquireVsCodeApi();
const kept: Kept = vscode.getState() ?? { open: [], turns: false };
let shown: ToPage | undefined;

const actions = {
  toggle(id: string) {
    kept.open = kept.open.includes(id) ? kept.open.filter((open) => open !== id) : [...kept.open, id];
    draw();
  },
  toggleTurns(open: boolean) {
    kept.turns = open;
    vscode.setState(kept);
  },
  say(message: FromPanel) {
    vscode.postMessage(message);
  },
};

function draw(): void {
  vscode.setState(kept);
  if (shown === undefined) return;
  const page = shown.type === "why" ? whyPage(shown, (message) => vscode.postMessage(message)) : contextPage(shown);
  keepingFocus(() => render(page, document.body));
}

function contextPage({ state, proxy }: ToPanel): TemplateResult {
  const content = panel(state, { open: new Set(kept.open), turns: kept.turns }, actions);
  return html`${content}${proxySection(proxy)}`;
}

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  shown = data;
  draw();
  if (data.type === "why" && data.fresh === true) resetFields(data);
  if (data.type === "why" && data.focus !== undefined) goTo(data.focus);
});
vscode.postMessage({ type: "ready" });

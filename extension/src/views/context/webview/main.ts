// The panel Context, in its webview: it draws the state that it is sent, and
// says what the person does.

import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-option/index.js";
import "@vscode-elements/elements/dist/vscode-single-select/index.js";
import { html, render } from "lit";
import type { FromPanel, ToPanel } from "../messages";
import { panel, proxySection } from "./panel";

/** What outlives the panel being hidden. */
interface Kept {
  /** The ids of the rows that are open. */
  open: string[];
  /** Whether the history of turns is. */
  turns: boolean;
}

interface VSCode {
  postMessage(message: FromPanel): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): VSCode;

const vscode = acquireVsCodeApi();
const kept: Kept = vscode.getState() ?? { open: [], turns: false };
let state: ToPanel["state"] | undefined;
let proxy: ToPanel["proxy"] = [];

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
  const content = state === undefined ? html`` : panel(state, { open: new Set(kept.open), turns: kept.turns }, actions);
  render(html`${content}${proxySection(proxy)}`, document.body);
}

window.addEventListener("message", ({ data }: MessageEvent<ToPanel>) => {
  state = data.state;
  proxy = data.proxy;
  draw();
});
vscode.postMessage({ type: "ready" });

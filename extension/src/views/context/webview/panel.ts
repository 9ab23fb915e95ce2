// The page of the panel. Bars are drawn in SVG, by attributes: the page allows
// no inline style.

import { type TemplateResult, html, nothing, svg } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { formatNumber } from "../../format";
import type { FromPanel } from "../messages";
import type { Bar, PanelState, TaskPanel, TurnRow, UsageRow } from "../model";

/** What the person has opened. */
export interface PanelView {
  open: ReadonlySet<string>;
  turns: boolean;
}

/** What the person can do. */
export interface PanelActions {
  toggle(id: string): void;
  toggleTurns(open: boolean): void;
  say(message: FromPanel): void;
}

/** The length that bars are drawn in. */
const barLength = 1000;

/** Draws a state. */
export function panel(state: PanelState, view: PanelView, actions: PanelActions): TemplateResult {
  if (state.kind === "empty") return html`<main><p class="empty">${state.text}</p></main>`;
  return html`<main>
    ${head(state, actions)}
    <section aria-label="Before and after routing">${state.bars.map(barOf)}</section>
    ${usage(state, view, actions)} ${history(state, view, actions)} ${week(state, actions)}
    <footer>
      <vscode-button secondary @click=${() => actions.say({ type: "why" })}>Why these tools?</vscode-button>
      <vscode-button secondary @click=${() => actions.say({ type: "export" })}>Export as JSON</vscode-button>
    </footer>
  </main>`;
}

function week(state: TaskPanel, actions: PanelActions): TemplateResult | typeof nothing {
  if (state.week === "") return nothing;
  const reset = () => actions.say({ type: "resetWeek" });
  return html`<p class="week">
    ${state.week} <button class="link" title="Begin the sums of the week anew" @click=${reset}>Reset</button>
  </p>`;
}

function head(state: TaskPanel, actions: PanelActions): TemplateResult {
  return html`<header>
    ${state.tasks.length > 1 ? chooser(state, actions) : html`<h1>${state.tasks[0]?.label}</h1>`}
    ${state.shadow ? html`<p class="shadow">Shadow mode: nothing is changed; this is what routing would have done.</p>` : nothing}
    <p class="summary" role="status">${capital(state.summary)}</p>
    <p class="details">${state.details.join(" · ")}</p>
    ${state.used === "" ? nothing : html`<p class="details">${state.used}</p>`}
    ${state.notes.map((note) => html`<p class="note">${note}</p>`)}
  </header>`;
}

function chooser(state: TaskPanel, actions: PanelActions): TemplateResult {
  const chosen = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    actions.say({ type: "select", task: value });
  };
  return html`<vscode-single-select label="Task" .value=${state.task} @change=${chosen}>
    ${repeat(
      state.tasks,
      ({ id }) => id,
      ({ id, label }) => html`<vscode-option value=${id} ?selected=${id === state.task}>${label}</vscode-option>`,
    )}
  </vscode-single-select>`;
}

function barOf(bar: Bar): TemplateResult {
  const parts = bar.segments.map(({ name, tokens }) => `${name} ${formatNumber(tokens)}`).join(", ");
  const label = `${bar.label}: ${bar.size}. ${parts}`;
  return html`<div class="bar">
    <div class="bar-label"><span>${bar.label}</span><span>${bar.size}</span></div>
    <svg role="img" aria-label=${label} viewBox="0 0 ${barLength} 10" preserveAspectRatio="none">
      <rect class="track" x="0" y="0" width=${barLength} height="10" />
      ${bar.segments.map(
        ({ start, length, colour, name, tokens }) =>
          svg`<rect class="segment c${colour}" x=${start * barLength} y="0" width=${length * barLength} height="10"><title>${name}: ${formatNumber(tokens)} tokens</title></rect>`,
      )}
    </svg>
  </div>`;
}

function usage(state: TaskPanel, view: PanelView, actions: PanelActions): TemplateResult {
  return html`<table>
    <caption>
      Where the context goes, in tokens
    </caption>
    <thead>
      <tr>
        <th scope="col">Part</th>
        <th scope="col" class="number">Tokens</th>
        <th scope="col" class="number">Share</th>
      </tr>
    </thead>
    <tbody>
      ${repeat(
        visible(state.rows, view.open),
        ({ id }) => id,
        (row) => usageRow(row, view, actions),
      )}
    </tbody>
    <tfoot>
      ${sumRow("Total", state.total)}
      ${state.free === undefined ? nothing : sumRow(state.free < 0 ? "Beyond the window" : "Free", Math.abs(state.free))}
      ${state.window === undefined ? nothing : sumRow("The model's window", state.window)}
    </tfoot>
  </table>`;
}

function sumRow(name: string, tokens: number): TemplateResult {
  return html`<tr>
    <th scope="row">${name}</th>
    <td class="number">${formatNumber(tokens)}</td>
    <td></td>
  </tr>`;
}

/** The rows that are not inside a closed one. */
function visible(rows: readonly UsageRow[], open: ReadonlySet<string>): UsageRow[] {
  return rows.flatMap((row) => [row, ...(open.has(row.id) ? visible(row.children, open) : [])]);
}

function usageRow(row: UsageRow, view: PanelView, actions: PanelActions): TemplateResult {
  const open = view.open.has(row.id);
  const colour =
    row.colour === undefined
      ? nothing
      : html`<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
          <rect class="segment c${row.colour}" width="10" height="10" />
        </svg>`;
  const name =
    row.children.length === 0
      ? html`<span class="leaf" title=${row.fullName ?? row.name}>${colour}<span class="name">${row.name}</span></span>`
      : html`<button class="twisty" aria-expanded=${open ? "true" : "false"} @click=${() => actions.toggle(row.id)}>
          <svg class="chevron" viewBox="0 0 16 16" aria-hidden="true"><path d="M6 3.5 10.5 8 6 12.5" /></svg
          >${colour}<span class="name">${row.name}</span>
        </button>`;
  return html`<tr class="level${row.level}">
    <th scope="row">${name}</th>
    <td class="number">${formatNumber(row.tokens)}</td>
    <td class="number">${row.share}</td>
  </tr>`;
}

function history(state: TaskPanel, view: PanelView, actions: PanelActions): TemplateResult {
  const toggled = (event: Event) => actions.toggleTurns((event.target as HTMLDetailsElement).open);
  return html`<details ?open=${view.turns} @toggle=${toggled}>
    <summary>Turn by turn</summary>
    <table>
      <caption>
        What each turn attached
      </caption>
      <thead>
        <tr>
          <th scope="col">Turn</th>
          <th scope="col" class="number">Tools</th>
          <th scope="col" class="number">Tokens</th>
          <th scope="col" class="number">Sum</th>
        </tr>
      </thead>
      <tbody>
        ${state.turns.map(turnRow)}
      </tbody>
    </table>
  </details>`;
}

function turnRow({ turn, added, tokens, sum, start, length }: TurnRow): TemplateResult {
  return html`<tr>
    <th scope="row">
      <span class="turn">${turn}</span>
      <svg class="turn-bar" viewBox="0 0 ${barLength} 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width=${barLength} height="10" />
        <rect class="segment before" x="0" width=${start * barLength} height="10" />
        <rect class="segment c2" x=${start * barLength} width=${length * barLength} height="10" />
      </svg>
    </th>
    <td class="number">${added === 0 ? "0" : `+${formatNumber(added)}`}</td>
    <td class="number">${formatNumber(tokens)}</td>
    <td class="number">${formatNumber(sum)}</td>
  </tr>`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

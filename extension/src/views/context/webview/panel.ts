// The page Context Usage. Bars are SVG with attributes, because the page allows no inline style.

import { type TemplateResult, html, nothing, svg } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { TaskUsageRowsResult, UsageBar, UsageRow, UsageTurnRow } from "../../../protocol/protocol.gen";
import type { FromPanel, ProxyRow, TaskChoice, TaskPanel, ToPanel } from "../../messages";

/** The expanded elements. */
export interface PanelView {
  open: ReadonlySet<string>;
  turns: boolean;
}

/** The user's actions. */
export interface PanelActions {
  toggle(id: string): void;
  toggleTurns(open: boolean): void;
  say(message: FromPanel): void;
}

/** Draws a state. */
export function panel(state: ToPanel["state"], view: PanelView, actions: PanelActions): TemplateResult {
  if (typeof state === "string") return html`<main><p class="empty">${state}</p></main>`;
  const { usage } = state;
  return html`<main>
    ${head(state, actions)}
    <section aria-label="Before and after routing">${usage.bars.map(barOf)}</section>
    ${usageTable(usage, view, actions)} ${history(usage, view, actions)} ${leftOut(usage)} ${week(usage, actions)}
    <footer>
      <vscode-button secondary @click=${() => actions.say({ type: "why" })}>Why these tools?</vscode-button>
      <vscode-button secondary @click=${() => actions.say({ type: "export" })}>Export as JSON</vscode-button>
    </footer>
  </main>`;
}

/** Draws the clients of the proxy; nothing if there are none. */
export function proxySection(rows: readonly ProxyRow[]): TemplateResult | typeof nothing {
  if (rows.length === 0) return nothing;
  const cached = html`<span title="How much of the input the provider's cache gave">Cached</span>`;
  return table(
    "Through winnowd proxy",
    ["Client", "Requests", "Tools sent", "Saved", cached],
    rows.map(({ client, numbers }) => tableRow(client, numbers)),
  );
}

function week({ week }: TaskUsageRowsResult, actions: PanelActions): TemplateResult | typeof nothing {
  if (week === undefined) return nothing;
  const reset = () => actions.say({ type: "resetWeek" });
  return html`<p class="week">
    ${week}
    <button class="link" title="Delete the sums of the week, and of the days before" @click=${reset}>Reset</button>
  </p>`;
}

function leftOut({ leftOut: chart }: TaskUsageRowsResult): TemplateResult | typeof nothing {
  if (chart === undefined) return nothing;
  const rows = chart.servers.map((row) => tableRow(leaf(row), [row.tokens, row.share]));
  return html`<details class="left-out">
    <summary>Left out day by day</summary>
    ${chart.days.map(barOf)}
    ${table(chart.caption, ["Server", "Tokens", "Share"], rows, [tableRow(chart.sum.name, [chart.sum.tokens, ""])])}
  </details>`;
}

function head(state: TaskPanel, actions: PanelActions): TemplateResult {
  const { shadow, summary, details, used, costly, costlySetting: setting = "", notes = [] } = state.usage;
  return html`<header>
    ${chooser(state, (task) => actions.say({ type: "select", task }))}
    ${shadow === undefined ? nothing : html`<p class="shadow">${shadow}</p>`}
    <p class="summary" role="status">${summary}</p>
    <p class="details">${details}</p>
    ${used === undefined ? nothing : html`<p class="details">${used}</p>`}
    ${
      costly === undefined
        ? nothing
        : html`<p class="details">
            ${costly}
            <button class="link" @click=${() => actions.say({ type: "setting", setting })}>Change it</button>
          </p>`
    }
    ${notes.map((note) => html`<p class="note">${note}</p>`)}
  </header>`;
}

/** Draws the list of tasks; a single one is a heading. */
export function chooser(
  { tasks, task }: { tasks: readonly TaskChoice[]; task: string },
  choose: (task: string) => void,
): TemplateResult {
  if (tasks.length <= 1) return html`<h1>${tasks[0]?.label}</h1>`;
  const chosen = (event: Event) => choose((event.target as HTMLSelectElement).value);
  return html`<vscode-single-select label="Task" .value=${task} @change=${chosen}>
    ${repeat(
      tasks,
      ({ id }) => id,
      ({ id, label }) => html`<vscode-option value=${id} ?selected=${id === task}>${label}</vscode-option>`,
    )}
  </vscode-single-select>`;
}

function barOf({ label, size, accessibility, segments }: UsageBar): TemplateResult {
  return html`<div class="bar">
    <div class="bar-label"><span>${label}</span><span>${size}</span></div>
    <svg role="img" aria-label=${accessibility} viewBox="0 0 1 1" preserveAspectRatio="none">
      <rect class="track" width="1" height="1" />
      ${segments.map(
        ({ start, length, color, title }) =>
          svg`<rect class="segment c${color}" x=${start} width=${length} height="1"><title>${title}</title></rect>`,
      )}
    </svg>
  </div>`;
}

/** Draws a table. The first column holds names, the others numbers. */
export function table(
  caption: string,
  columns: readonly (string | TemplateResult)[],
  rows: unknown,
  foot?: TemplateResult[],
): TemplateResult {
  return html`<table>
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${columns.map((column, i) => html`<th scope="col" class=${i === 0 ? nothing : "number"}>${column}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
    ${
      foot === undefined
        ? nothing
        : html`<tfoot>
            ${foot}
          </tfoot>`
    }
  </table>`;
}

export function tableRow(name: string | TemplateResult, numbers: readonly string[], level?: string): TemplateResult {
  return html`<tr class=${level ?? nothing}>
    <th scope="row">${name}</th>
    ${numbers.map((number) => html`<td class="number">${number}</td>`)}
  </tr>`;
}

function usageTable({ rows, sums }: TaskUsageRowsResult, view: PanelView, actions: PanelActions): TemplateResult {
  return table(
    "Where the context goes, in tokens",
    ["Part", "Tokens", "Share"],
    repeat(
      visible(rows, view.open),
      ({ id }) => id,
      (row) => tableRow(nameOf(row, view, actions), [row.tokens, row.share], `level${row.level}`),
    ),
    sums.map(({ name, tokens }) => tableRow(name, [tokens, ""])),
  );
}

/** Returns the rows that are not inside a collapsed one. */
function visible(rows: readonly UsageRow[], open: ReadonlySet<string>): UsageRow[] {
  return rows.flatMap((row) => [row, ...(open.has(row.id) ? visible(row.children ?? [], open) : [])]);
}

/** Draws the name of a row, which expands and collapses its children. */
function nameOf(row: UsageRow, view: PanelView, actions: PanelActions): TemplateResult {
  if (row.children === undefined) return leaf(row);
  const open = view.open.has(row.id);
  return html`<button class="twisty" aria-expanded=${open ? "true" : "false"} @click=${() => actions.toggle(row.id)}>
    <svg class="chevron" viewBox="0 0 16 16" aria-hidden="true"><path d="M6 3.5 10.5 8 6 12.5" /></svg
    >${swatch(row)}<span class="name">${row.name}</span>
  </button>`;
}

/** Draws the name of a row without children. */
function leaf(row: UsageRow): TemplateResult {
  return html`<span class="leaf" title=${row.fullName ?? row.name}
    >${swatch(row)}<span class="name">${row.name}</span></span
  >`;
}

function swatch({ color }: UsageRow): TemplateResult | typeof nothing {
  if (color === undefined) return nothing;
  return html`<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
    <rect class="segment c${color}" width="10" height="10" />
  </svg>`;
}

function history({ turns }: TaskUsageRowsResult, view: PanelView, actions: PanelActions): TemplateResult {
  const toggled = (event: Event) => actions.toggleTurns((event.target as HTMLDetailsElement).open);
  return html`<details ?open=${view.turns} @toggle=${toggled}>
    <summary>Turn by turn</summary>
    ${table(
      "What each turn attached",
      ["Turn", "Tools", "Tokens", "Sum"],
      turns.map((turn) => tableRow(turnOf(turn), [turn.added, turn.tokens, turn.sum])),
    )}
  </details>`;
}

function turnOf({ turn, start, length }: UsageTurnRow): TemplateResult {
  return html`<span class="turn">${turn}</span>
    <svg class="turn-bar" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="1" height="1" />
      <rect class="segment before" width=${start} height="1" />
      <rect class="segment c2" x=${start} width=${length} height="1" />
    </svg>`;
}

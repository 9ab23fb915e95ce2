// The page Why: each tool of a task, with the reason why it is attached or not, and the user's actions.

import { type TemplateResult, html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ToolRef, WhyDetails, WhyGroup, WhyRow } from "../../../protocol/protocol.gen";
import type { FromWhy, ToWhy } from "../../messages";
import { chooser, table, tableRow } from "./panel";

type Say = (message: FromWhy) => void;

/** Draws the page. */
export function whyPage(why: ToWhy, say: Say): TemplateResult {
  const { page } = why;
  return html`<main class="why">
    <header>
      ${why.tasks.length === 0 ? nothing : chooser(why, (task) => say({ type: "select", task }))} ${tryForm(why, say)}
    </header>
    ${
      typeof page === "string"
        ? html`<p class="empty">${page}</p>`
        : html`<p class="summary" role="status">${page.summary}</p>
            ${page.note === undefined ? nothing : html`<p class="shadow">${page.note}</p>`}
            <input
              type="search"
              class="field"
              aria-label="Search the tools"
              placeholder="Search the tools"
              value=${why.filter}
              @input=${(event: Event) => say({ type: "filter", words: (event.target as HTMLInputElement).value })}
            />
            ${page.groups.length === 0 ? html`<p class="empty">No tool matches the search.</p>` : nothing}
            ${repeat(
              page.groups,
              ({ id }) => id,
              (group) => groupOf(group, say),
            )}`
    }
  </main>`;
}

/** Draws the field for a message to try. */
function tryForm({ message, task }: ToWhy, say: Say): TemplateResult {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).elements.namedItem("message") as HTMLInputElement;
    say({ type: "try", message: field.value });
  };
  const back = (event: MouseEvent) => {
    const field = (event.target as HTMLButtonElement).form?.elements.namedItem("message") as HTMLInputElement;
    field.value = "";
    // The button disappears.
    field.focus();
    say({ type: "try", message: "" });
  };
  return html`<form class="try" @submit=${submit}>
    <label for="message">Try a message: which tools would go along? No chat model and no server gets it.</label>
    <div class="row">
      <input id="message" name="message" class="field" autocomplete="off" value=${message} />
      <button class="button">Try</button>
      ${
        message === ""
          ? nothing
          : html`<button type="button" class="button" @click=${back}>
              ${task === "" ? "Clear" : "Back to the task"}
            </button>`
      }
    </div>
  </form>`;
}

function groupOf({ id, heading, rows, more }: WhyGroup, say: Say): TemplateResult {
  return html`<section aria-labelledby="group-${id}">
    <h2 id="group-${id}">${heading}</h2>
    <ul class="tools">
      ${repeat(rows, keyOf, (row) => rowOf(row, say))}
    </ul>
    ${more === undefined ? nothing : html`<p class="details">${more}</p>`}
  </section>`;
}

function rowOf(row: WhyRow, say: Say): TemplateResult {
  const { tool, details } = row;
  const of = `${row.name} of ${tool.server}`;
  return html`<li data-key=${keyOf(row)}>
    <p class="tool"><strong>${row.name}</strong> <span class="details">${tool.server} · ${row.tokens} tokens</span></p>
    <p>${row.sentence}</p>
    <p class="buttons">
      <button
        class="link"
        aria-expanded=${details === undefined ? "false" : "true"}
        aria-label="${row.why} ${of}"
        @click=${() => say({ type: "details", tool })}
      >
        ${row.why}
      </button>
      ${repeat(
        row.actions,
        ({ command }) => command,
        ({ label, command }) =>
          html`<button
            class="link"
            data-command=${command}
            aria-label="${label} ${of}"
            @click=${() => say({ type: "act", tool, command })}
          >
            ${label}
          </button>`,
      )}
    </p>
    ${details === undefined ? nothing : detailsOf(details, () => say({ type: "place", tool }))}
  </li>`;
}

function detailsOf({ verdict, score, parts = [], placeLabel }: WhyDetails, place: () => void): TemplateResult {
  const caption = score === undefined ? "" : `Score for the latest message: ${score}`;
  return html`<div class="verdict">
    <p>${verdict}</p>
    ${placeLabel === undefined ? nothing : html`<button class="link" @click=${place}>${placeLabel}</button>`}
    ${
      parts.length === 0
        ? nothing
        : table(
            caption,
            ["Matched", "Score"],
            parts.map(({ name, value, matched = "" }) =>
              tableRow(html`<span>${name}${matched === "" ? nothing : `: ${matched}`}</span>`, [value]),
            ),
          )
    }
  </div>`;
}

function keyOf({ tool }: { tool: ToolRef }): string {
  return JSON.stringify([tool.server, tool.tool]);
}

function rowElement(key: string): Element | undefined {
  return [...document.querySelectorAll("[data-key]")].find((row) => row.getAttribute("data-key") === key);
}

/** Resets the fields to the state, discarding typed text. */
export function resetFields({ message, filter }: ToWhy): void {
  for (const field of document.querySelectorAll<HTMLInputElement>("input.field")) {
    field.value = field.name === "message" ? message : filter;
  }
}

/** Scrolls to a tool and focuses it. */
export function goTo(tool: ToolRef): void {
  const row = rowElement(keyOf({ tool }));
  row?.scrollIntoView({ block: "start" });
  row?.querySelector("button")?.focus();
}

/** Draws, and keeps the focus on the button of a tool that moves to another group: on that of the same command. */
export function keepingFocus(render: () => void): void {
  const focused = document.activeElement as HTMLElement | null;
  const row = focused?.closest("[data-key]");
  const place = [...(row?.querySelectorAll("button") ?? [])].indexOf(focused as HTMLButtonElement);
  render();
  // A moved row loses the focus even if it stays in the page.
  if (place < 0 || document.activeElement === focused) return;
  const buttons = [...(rowElement(row?.getAttribute("data-key") ?? "")?.querySelectorAll("button") ?? [])];
  const same = buttons.find(({ dataset }) => dataset["command"] === focused?.dataset["command"]);
  (same ?? buttons[Math.min(place, buttons.length - 1)])?.focus();
}

// The Context panel, compared with what the model was sent.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Frame } from "playwright-core";
import { formatNumber } from "../../src/base/format";
import { until } from "../host/processes";
import { isMcp, sentSections, toolCosts } from "../support/cost";
import { testDaemon } from "../support/daemon";
import type { Session } from "./session";

/** A row of the table of sections. */
interface Row {
  level: number;
  /** A tool's as the model is told it. */
  name: string;
  tokens: string;
}

/** Opens the panel, with all rows of its table. */
export async function openPanel({ workbench }: Session): Promise<Frame> {
  await workbench.command("Winnow: Show Context Usage");
  const panel = await workbench.webview("main > header");
  const closed = panel.locator("table").first().locator("button.twisty[aria-expanded=false]");
  await panel.locator("tbody tr").first().waitFor();
  while ((await closed.count()) > 0) await closed.first().press("Enter");
  return panel;
}

/**
 * Compares what the panel shows with the newest request that the model was sent: each section, each server, each tool, and
 * the sum, to the token.
 */
export async function panelIsOfWhatWasSent(t: TestContext, session: Session): Promise<void> {
  const { editor, script } = session;
  const { request } = script.exchanges.at(-1) ?? assert.fail("there was no request");
  const daemon = testDaemon(t, editor.profile.dir);
  await daemon.start();
  const sections = await sentSections(daemon, request);
  const costs = await toolCosts(daemon, request.tools.filter(isMcp));
  const own = costs.get("mcp_load") ?? 0;
  costs.delete("mcp_load");
  const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, one) => all + one, 0);
  sections.set("MCP tools", sum(costs.values()));
  if (own > 0) sections.set("Winnow", own);

  const panel = await openPanel(session);
  const total = formatNumber(sum(sections.values()));
  const rows = await until("the panel to be of the newest request", async () => {
    const shown = await panel.locator("table").first().locator("tfoot td").first().innerText();
    return shown === total ? readRows(panel) : undefined;
  }).catch(() => readRows(panel));
  assert.deepEqual(
    rows.filter(({ level }) => level === 0).map(({ name, tokens }) => [name, tokens]),
    [...sections].map(([name, tokens]) => [name, formatNumber(tokens)]),
  );
  const tools = rows.filter(({ level }) => level === 2).map(({ name, tokens }): [string, string] => [name, tokens]);
  assert.deepEqual(
    new Map(tools.toSorted()),
    new Map([...costs].map(([name, tokens]): [string, string] => [name, formatNumber(tokens)]).toSorted()),
  );
  // Each server is the sum of its tools.
  for (const [i, { level, name, tokens }] of rows.entries()) {
    const next = rows.slice(i + 1);
    if (level !== 1 || next.at(0)?.level !== 2) continue;
    const end = next.findIndex((row) => row.level < 2);
    const own = next.slice(0, end < 0 ? undefined : end).map((row) => Number(row.tokens.replaceAll(",", "")));
    assert.equal(tokens, formatNumber(sum(own)), name);
  }
  assert.equal(await panel.locator("table").first().locator("tfoot td").first().innerText(), total);
}

async function readRows(panel: Frame): Promise<Row[]> {
  return panel.evaluate<Row[]>(`[...document.querySelector("table").tBodies[0].rows].map((row) => ({
    level: Number(/level(\\d)/.exec(row.className)?.[1]),
    name: row.querySelector(".leaf")?.title || row.querySelector(".name").textContent,
    tokens: row.cells[1].innerText,
  }))`);
}

// What Winnow costs with 500 tools: the figures are printed, nothing is held to
// a time.
import { suite, test } from "mocha";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import type { HostTool, WinnowExports } from "../../api/winnow";
import { childrenOf, report, until } from "./api";

/** How many tools there are. */
const count = 500;

const verbs = ["read", "create", "delete", "search", "list", "update", "send", "export", "import", "merge"];
const things = ["file", "issue", "message", "page", "table", "branch", "image", "contact", "event", "invoice"];

/** Tools as servers have them: a description, and three parameters. */
const tools: HostTool[] = Array.from({ length: count }, (_, i) => {
  const [verb, thing] = [verbs[i % 10] ?? "", things[Math.floor(i / 10) % 10] ?? ""];
  return {
    server: `server${Math.floor(i / 50)}`,
    name: `${verb}_${thing}_${i}`,
    description: `Use it to ${verb} one ${thing} of the workspace, by its name or its number, with a limit and a filter.`,
    inputSchema: {
      type: "object",
      properties: { name: { type: "string" }, limit: { type: "integer" }, filter: { type: "string" } },
    },
  };
});

/** The memory of a process that is in RAM, in MB. */
async function residentMB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

suite("figures", () => {
  test(`with ${count} tools`, async () => {
    const extension = vscode.extensions.getExtension<WinnowExports>("winnow-mcp.winnow");
    const winnow = (await extension?.activate())?.getApi(1);
    assert.ok(winnow !== undefined);

    const begin = performance.now();
    await vscode.commands.executeCommand("winnow.restartDaemon");
    const restarted = performance.now();
    await winnow.setTools("figures", tools);
    const first = await winnow.open({ source: "figures", message: "search the invoices of march and export them" });
    const attached = performance.now();
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const at = performance.now();
      const task = await winnow.open({ source: "figures", message: `merge branch ${i} and send a message about it` });
      times.push(performance.now() - at);
      await task.close();
    }
    times.sort((a, b) => a - b);
    const daemon = await until("winnowd", async () =>
      (await childrenOf(process.pid)).find(({ command }) => command.includes("winnowd")),
    );
    const { counts, tokens } = first.attachment;
    assert.equal(counts.scoped, count);
    assert.equal(counts.attached, 30);
    report(
      `${counts.attached} of ${counts.scoped} tools, ${tokens.attached} of ${tokens.all} tokens`,
      `old daemon ended and new one ready in ${(restarted - begin).toFixed(0)} ms`,
      `first attachment ${(attached - restarted).toFixed(0)} ms after that, a later one ${times[10]?.toFixed(1)} ms (median of 20)`,
      `memory: winnowd ${(await residentMB(daemon.pid)).toFixed(0)} MB, extension host with all extensions ${(await residentMB(process.pid)).toFixed(0)} MB`,
    );
    await first.close();
  });
});

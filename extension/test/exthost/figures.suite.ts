// What Winnow costs with 500 tools: the figures are printed, nothing is held to
// a time.
import { suite, test } from "mocha";
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { WinnowExports } from "../../api/winnow";
import { childrenOf, report, until } from "./api";
import { count, residentMB, tools } from "./manytools";

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

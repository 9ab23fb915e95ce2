// What the start of Winnow costs. It is the first suite by its name: VS Code
// activates what waits for the end of its start when the tests are under way.
import { suite, test } from "mocha";
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as vscode from "vscode";
import type { WinnowExports } from "../../api/winnow";
import { childrenOf, report } from "./api";
import { count, residentMB, tools } from "./manytools";

/** The memory of this extension host after a collection, in MB: what JavaScript holds, and all that is in RAM. */
function memory(): { heap: number; resident: number } {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed / 1e6, resident: rss / 1e6 };
}

/** The bundles that VS Code loads, with their sizes. */
async function bundles(extension: vscode.Extension<unknown>): Promise<string> {
  const dist = vscode.Uri.joinPath(extension.extensionUri, "extension", "dist");
  const names = (await vscode.workspace.fs.readDirectory(dist)).map(([name]) => name).filter((n) => n.endsWith(".js"));
  const sizes = names.map(async (name) => {
    const { size } = await vscode.workspace.fs.stat(vscode.Uri.joinPath(dist, name));
    return `${name} ${(size / 1000).toFixed(0)} kB`;
  });
  return (await Promise.all(sizes)).join(", ");
}

suite("activation", () => {
  test(`from activate() to the first attachment of ${count} tools`, async function () {
    const extension = vscode.extensions.getExtension<WinnowExports>("winnow-mcp.winnow");
    assert.ok(extension !== undefined);
    if (extension.isActive) {
      report("Winnow was active before the first test: its start is not measured");
      this.skip();
    }
    const others = () => vscode.extensions.all.filter(({ isActive, id }) => isActive && id !== extension.id).length;
    const [before, active] = [memory(), others()];
    const begin = performance.now();
    const winnow = (await extension.activate()).getApi(1);
    const activated = performance.now();
    await winnow.setTools("activation", tools);
    const task = await winnow.open({ source: "activation", message: "search the invoices of march and export them" });
    const attached = performance.now();
    assert.equal(task.attachment.counts.scoped, count);
    assert.equal(task.attachment.counts.attached, 30);
    const { heap, resident } = memory();
    const children = (await childrenOf(process.pid)).filter(({ command }) => command.includes("winnowd"));
    assert.equal(children.length, 1);
    report(
      `activate() took ${(activated - begin).toFixed(0)} ms, the first attachment was there ${(attached - begin).toFixed(0)} ms after its call`,
      `memory with Winnow, beside that without it: heap of the extension host +${(heap - before.heap).toFixed(1)} MB, in RAM ` +
        `+${(resident - before.resident).toFixed(1)} MB (${others() - active} other extensions came meanwhile); ` +
        `winnowd ${(await residentMB(children[0]?.pid ?? 0)).toFixed(0)} MB`,
      `bundles: ${await bundles(extension)}`,
    );
    await task.close();
  });
});

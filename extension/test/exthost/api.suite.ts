// The API, used by another extension: the example of its documentation.
import { suite, suiteSetup, suiteTeardown, test } from "mocha";
import assert from "node:assert/strict";
import path from "node:path";
import * as vscode from "vscode";
import { type Model, work } from "../../api/example";
import type { WinnowExports } from "../../api/winnow";
import { setting, until } from "./api";
import { folder, winnowFile } from "./winnowfile";

suite("api", () => {
  const restore: (() => Promise<void>)[] = [];

  suiteSetup(async () => {
    restore.push(await winnowFile((servers) => ({ servers: { notes: servers["filesystem"] } })));
    restore.push(await setting("winnow.threshold", 5), await setting("winnow.initialK", 4));
  });

  suiteTeardown(async () => {
    for (const put of restore) await put();
  });

  test("the example works: its model gets four tools and mcp_load, and calls one", async () => {
    const extension = vscode.extensions.getExtension<WinnowExports>("winnow-mcp.winnow");
    const winnow = (await extension?.activate())?.getApi(1);
    assert.ok(winnow !== undefined);
    await until("the tools of the server", async () => {
      const task = await winnow.open({ message: "x" });
      await task.close();
      return task.attachment.counts.scoped > 5;
    });
    const offered: string[][] = [];
    const model: Model = (messages, tools) => {
      offered.push(tools.map(({ name }) => name));
      const last = JSON.stringify(messages.at(-1));
      if (last.includes("Sow the beans")) return Promise.resolve({ text: "In May." });
      const args = { path: path.join(folder, "garden.md") };
      return Promise.resolve({ text: "", call: { name: "read_text_file", args } });
    };
    const answer = await work("read the text file about the garden", model, () => Promise.resolve(false));
    assert.equal(answer, "In May.");
    assert.ok(offered[0]?.length === 5 && offered[0].includes("mcp_load"), offered.join());
  });
});

// The API with the real winnowd and a real MCP server.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import type { Attachment, CatalogChange, HostTool } from "../../api/winnow";
import { root, testDaemon } from "../../test/support/daemon";
import { CatalogDidChange, CatalogList } from "../protocol/protocol.gen";
import { exportsOf } from "./api";

/** The API over a daemon that runs one real server. */
async function api(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-api-"));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const everything = path.join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const servers = { everything: { command: process.execPath, args: [everything, "stdio"] } };
  const file = path.join(dir, "winnow.json");
  await writeFile(file, JSON.stringify({ servers }));
  const settings = { threshold: 5, initialK: 3 };
  const daemon = testDaemon(t, dir, { settings });
  const exported = exportsOf(daemon);
  t.after(() => {
    exported.dispose();
  });
  const ready = new Promise<void>((resolve) => {
    daemon.onNotification(CatalogDidChange, () => {
      void daemon.request(CatalogList, {}).then(({ tools }) => {
        if (tools.length > 0) resolve();
      });
    });
  });
  await daemon.start();
  await ready;
  return { api: exported.getApi(1), exported, file };
}

test("a task is opened, taken on, loaded, called, explained, closed and resumed", async (t) => {
  const { api: winnow } = await api(t);
  const task = await winnow.open({ message: "add two numbers", model: { contextTokens: 100_000 } });
  const changes: Attachment[] = [];
  task.onDidChange((attachment) => changes.push(attachment));
  assert.deepEqual([task.attachment.turn, task.attachment.tools.length, task.attachment.mode], [1, 3, "dynamic"]);
  assert.deepEqual(
    task.attachment.metaTools.map(({ name }) => name),
    ["mcp_load"],
  );

  assert.equal((await task.turn("show a tiny image")).turn, 2);
  const { loaded, text } = await task.load({ names: ["get-env"] });
  assert.deepEqual(loaded, [{ name: "get-env", server: "everything", already: false }]);
  assert.match(text, /get-env/);
  assert.equal(changes.length, 2);
  assert.ok(task.attachment.tools.some(({ tool }) => tool === "get-env"));

  const described = await task.describeCall("get-sum", { a: 4, b: 5 });
  assert.deepEqual(
    [described.meta, described.server, described.tool, described.arguments],
    [false, "everything", "get-sum", { a: 4, b: 5 }],
  );
  assert.equal((await task.describeCall("mcp_load", { query: "x" })).meta, true);
  const { content, isError } = await task.call("get-sum", { a: 4, b: 5 });
  assert.equal(isError, false);
  assert.match(JSON.stringify(content), /9/);

  const why = await task.explain();
  const sum = why.find(({ name }) => name === "get-sum");
  assert.ok(sum?.attached === true);
  assert.ok(Math.abs(sum.parts.reduce((all, { value }) => all + value, 0) - sum.score) < 1e-9);
  assert.deepEqual(
    (await task.explain("get-sum")).map(({ name }) => name),
    ["get-sum"],
  );

  const names = task.attachment.tools.map(({ name }) => name);
  const state = JSON.parse(JSON.stringify(task.attachment.state)) as object;
  await task.close();
  await assert.rejects(task.turn("x"), { kind: "unknownTask" });
  const resumed = await winnow.resume(state);
  assert.equal(resumed.id, task.id);
  assert.deepEqual(
    resumed.attachment.tools.map(({ name }) => name),
    names,
  );
});

test("an extension's own tools are chosen from, and not run here", async (t) => {
  const { api: winnow } = await api(t);
  const tools = Array.from({ length: 20 }, (_, i): HostTool => ({
    server: "desk",
    name: `tool_${i}`,
    description: i === 7 ? "Sends an e-mail" : `Does the thing number ${i}`,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: i !== 7 },
  }));
  await winnow.setTools("acme.agent", tools);
  const task = await winnow.open({ message: "send an e-mail", source: "acme.agent" });
  assert.ok(task.attachment.tools.some(({ name }) => name === "tool_7"));
  assert.deepEqual(await task.describeCall("tool_7", {}), {
    meta: false,
    readOnly: false,
    approved: false,
    server: "desk",
    tool: "tool_7",
    arguments: {},
  });
  await assert.rejects(task.call("tool_7", {}), { kind: "hostTool" });
});

test("a change of the user's file is told", async (t) => {
  const { api: winnow, file } = await api(t);
  const changed = new Promise<CatalogChange>((resolve) => winnow.onDidChangeCatalog(resolve));
  const before = await readFile(file, "utf8");
  await writeFile(file, before.replace('"args"', '"disabledTools":["echo"],"args"'));
  assert.deepEqual(await changed, { source: undefined, servers: ["everything"] });
});

test("what goes wrong says what to do, and another version is refused", async (t) => {
  const { api: winnow, exported } = await api(t);
  await assert.rejects(winnow.open({ message: "x", mode: "none" }), { kind: "unknownMode" });
  const task = await winnow.open({ message: "x" });
  await assert.rejects(task.call("no_such_tool", {}), { kind: "unknownTool" });
  assert.throws(() => exported.getApi(2 as 1), /version 1/);
});

test("the documentation shows the example as it is compiled", async () => {
  const [readme, example] = await Promise.all(
    ["README.md", "example.ts"].map((file) => readFile(path.join(root, "extension", "api", file), "utf8")),
  );
  assert.ok(readme?.includes(`\`\`\`ts\n${example ?? ""}\`\`\``));
});

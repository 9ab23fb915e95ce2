// The store of the views with the real winnowd, over real pipes.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { testDaemon } from "../../test/support/daemon";
import { formatNumber } from "../base/format";
import type { Daemon } from "../daemon/client";
import {
  type HostTool,
  ModeSet,
  SetHostTools,
  TaskExplain,
  TaskOpen,
  TaskRows,
  TaskTools,
  TaskTurn,
  TaskUsage,
  TaskUsageRows,
  TaskWhy,
  ToolRows,
  ToolSetEnabled,
  type UsageSection,
} from "../protocol/protocol.gen";
import { type HostServers, type ServerKey, Store } from "./store";

const modes = { few: { allowedMcpServers: ["server-1"] } };

/** Forty servers with fifty tools each. */
const tools: HostTool[] = Array.from({ length: 2000 }, (_, i) => ({
  server: `server-${i % 40}`,
  name: `mcp_server-${i % 40}_${["read", "write", "list", "send", "draw"][i % 5] ?? ""}_thing_${i}`,
  description: `Does thing number ${i}.`,
}));

/** A store on a daemon with 2,000 tools of a host, and one task. */
async function opened(t: TestContext, notStarted: readonly string[] = []) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-store-"));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  await writeFile(path.join(dir, "winnow.json"), JSON.stringify({ modes }));
  const daemon = testDaemon(t, dir);
  const errors: unknown[] = [];
  const store = new Store(
    daemon,
    (err) => {
      // The end of the test cuts off what is under way.
      if (daemon.state.kind !== "stopped") errors.push(err);
    },
    notStarted.length > 0 ? hostOf(daemon, notStarted) : undefined,
  );
  t.after(() => {
    store.dispose();
    assert.deepEqual(errors, []);
  });
  await daemon.start();
  await daemon.request(SetHostTools, { source: "host", tools });
  const { task } = await daemon.request(TaskOpen, { message: "read thing 40", source: "host" });
  // The modes name servers, which is a fault until these are known.
  await holds(store, () => store.servers.length >= 40 && store.faults.length === 0);
  return { daemon, store, task, dir };
}

/** A host that tells of its tools when it is asked, as VS Code's does. */
function hostOf(daemon: Daemon, notStarted: readonly string[]): HostServers {
  return {
    serverNames: () => notStarted,
    everyServer: async () => {
      await daemon.request(SetHostTools, { source: "host", tools });
      return "host";
    },
  };
}

/** Waits until a condition holds; it is looked at after each change of the store. */
async function holds(store: Store, condition: () => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = () => {
      if (!condition()) return;
      for (const subscription of subscriptions) subscription.dispose();
      resolve();
    };
    const subscriptions = [store.onDidChangeServers(look), store.onDidChangeTasks(look), store.onDidChangeModes(look)];
    look();
  });
}

test("the tools of a server are asked for once, and for no server that nobody opens", async (t) => {
  const { daemon, store } = await opened(t);
  const asked: (string | undefined)[] = [];
  const request = daemon.request.bind(daemon);
  t.mock.method(daemon, "request", ((type, params, token) => {
    if (type.method === ToolRows.method) asked.push((params as { server?: string }).server);
    return request(type, params, token);
  }) satisfies typeof daemon.request);
  const key = { source: "host", name: "server-1" };
  assert.equal((await store.tools(key)).length, 50);
  assert.equal(await store.tools(key), await store.tools(key));
  assert.deepEqual(asked, ["server-1"]);
  assert.equal(
    store.servers.reduce((sum, { tools }) => sum + tools, 0),
    2000,
  );
});

test("the tools of a server are in the order that was chosen, each with a row, and its tooltip comes alone", async (t) => {
  const { store } = await opened(t);
  const key = { source: "host", name: "server-1" };
  store.sort = "cost";
  const [dearest, next] = await store.tools(key);
  assert.ok(dearest !== undefined && next !== undefined && dearest.tokens >= next.tokens);
  assert.match(dearest.row.label, /^(read|write|list|send|draw)_thing_\d+$/);
  assert.equal(dearest.row.tooltip, undefined);
  assert.match((await store.tooltip(dearest)) ?? "", /Does thing number/);
  const { servers, tools = [] } = await store.find("WRITE thing_41 server-1_");
  assert.deepEqual(
    tools.map(({ row }) => row.label),
    ["write_thing_41"],
  );
  assert.match(servers[0]?.row.description ?? "", /^1 of 50 · /);
});

test("only the server that changed is told, with its tools as they are now", async (t) => {
  const { daemon, store } = await opened(t);
  const told: (readonly ServerKey[] | undefined)[] = [];
  store.onDidChangeServers((servers) => told.push(servers));
  const key = { source: "host", name: "server-2" };
  const [first] = await store.tools(key);
  assert.ok(first !== undefined);
  await daemon.request(ToolSetEnabled, { server: "server-2", tool: first.tool, enabled: false });
  await holds(store, () => store.servers.find(({ name }) => name === "server-2")?.inScope === 49);
  assert.deepEqual(
    told.flatMap((servers) => servers?.map(({ name }) => name)),
    ["server-2"],
  );
  const off = (await store.tools(key)).find(({ tool }) => tool === first.tool);
  assert.deepEqual(off?.cause, { kind: "server", owner: "server-2", key: "disabledTools" });
});

test("the tools of a list that is not shown any more are not kept", async (t) => {
  const { daemon, store } = await opened(t);
  const [before, after] = ["host", "host as it is now"].map((source) => ({ source, name: "server-1" }));
  assert.ok(before !== undefined && after !== undefined);
  const known = store.tools(before);
  assert.equal(store.tools(before), known);
  await daemon.request(SetHostTools, { source: after.source, tools: tools.slice(0, 80) });
  await daemon.request(TaskOpen, { message: "read thing 41", source: after.source });
  await holds(store, () => store.servers.every(({ source }) => source === after.source));
  assert.notEqual(store.tools(before), known);
  assert.equal((await store.tools(after)).length, 2);
});

test("a server that is asked for again is told, though it is as before", async (t) => {
  const { store } = await opened(t);
  const told = new Promise<readonly ServerKey[] | undefined>((resolve) => {
    store.onDidChangeServers(resolve);
  });
  store.refreshServer({ source: "host", name: "server-3" });
  assert.deepEqual(
    (await told)?.map(({ name }) => name),
    ["server-3"],
  );
});

test("a mode changes what is on", async (t) => {
  const { daemon, store } = await opened(t);
  assert.equal(
    (await store.tools({ source: "host", name: "server-2" })).every(({ inScope }) => inScope),
    true,
  );
  await daemon.request(ModeSet, { mode: "few" });
  await holds(store, () => store.servers.filter(({ inScope }) => inScope > 0).length === 1);
  assert.equal(store.modes.current, "few");
  const [tool] = await store.tools({ source: "host", name: "server-2" });
  assert.deepEqual(tool?.cause, { kind: "mode", owner: "few", key: "allowedMcpServers" });
});

test("the task that was worked on last is the last", async (t) => {
  const { daemon, store, task } = await opened(t);
  const second = (await daemon.request(TaskOpen, { message: "draw", source: "host" })).task;
  await daemon.request(TaskExplain, { task });
  await holds(store, () => store.tasks.length === 2);
  assert.equal(store.tasks.at(-1)?.task, second);
  await daemon.request(TaskTurn, { task, message: "write" });
  await holds(store, () => store.tasks.at(-1)?.task === task);
});

test("each tool that is not attached leads to the setting that keeps it out", async (t) => {
  const { daemon, task } = await opened(t);
  const { groups } = await daemon.request(TaskWhy, { task });
  assert.match(groups[0]?.heading ?? "", /^Attached \(\d+\)$/);
  const out = groups.find(({ id }) => id === "leftOut");
  assert.match(out?.heading ?? "", /^Left out \(1,[89]\d\d\)$/);
  const { tool } = out?.rows[0] ?? assert.fail("nothing is left out");
  const { groups: now } = await daemon.request(TaskWhy, { task, open: [tool] });
  assert.equal(now.find(({ id }) => id === "leftOut")?.rows[0]?.details?.place?.key?.split(".")[0], "winnow");
});

test("a message that is tried leaves no trace", async (t) => {
  const { daemon, store } = await opened(t);
  const before = await daemon.request(TaskRows, {});
  const { summary, groups } = await daemon.request(TaskWhy, { source: store.source, message: "send thing number 8" });
  assert.match(summary, /^Would be attached: \d+ of 2,000 tools, /);
  assert.ok(groups.some(({ rows }) => rows.some(({ tool }) => tool.tool.endsWith("send_thing_8"))));
  assert.deepEqual(await daemon.request(TaskRows, {}), before);
});

test("each tool of a task has a row, and its tooltip says why", async (t) => {
  const { daemon, store, task } = await opened(t);
  const { rows } = await daemon.request(TaskTools, { task });
  assert.equal(rows.length, store.tasks.find((each) => each.task === task)?.counts.attached);
  const [best] = rows;
  const { label, accessibility } = best?.row ?? {};
  assert.match(
    accessibility ?? "",
    new RegExp(`^${label}, \\d+ tokens, ranked for the message, of server ${best?.tool.server}$`),
  );
  assert.match(best?.row.tooltip ?? "", /^\*\*.+\*\* of .+\n\n.+\n\n[\d,]+ tokens in each request that carries it$/);
});

test("the panel sums exactly, with the host's sections", async (t) => {
  const { daemon, store, task } = await opened(t);
  const host = [
    { name: "System prompt", tokens: 4001 },
    { name: "Conversation", tokens: 733, children: [{ name: "user", tokens: 700 }] },
  ];
  const { sections, total, unrouted } = await daemon.request(TaskUsage, { task, sections: host });
  const sum = (parts: readonly UsageSection[]): number => parts.reduce((all, { tokens }) => all + tokens, 0);
  const check = ({ name, tokens, children }: UsageSection) => {
    if (children !== undefined) assert.equal(sum(children), tokens, name);
    children?.forEach(check);
  };
  sections.forEach(check);
  assert.equal(sum(sections), total);
  assert.equal(unrouted, total + (store.tasks.find((each) => each.task === task)?.tokens.saved ?? 0));
  const panel = await daemon.request(TaskUsageRows, { task, sections: host, model: "GPT" });
  assert.deepEqual(panel.sums, [{ name: "Total", tokens: formatNumber(total) }]);
  assert.deepEqual(
    panel.rows.map(({ name, tokens }) => [name, tokens]),
    sections.map(({ name, tokens }) => [name, formatNumber(tokens)]),
  );
  assert.match(panel.details, /^GPT · turn 1/);
  // VS Code's prefix is left out beside the server.
  for (const { children = [] } of panel.rows[2]?.children ?? []) assert.doesNotMatch(children[0]?.name ?? "", /^mcp_/);
});

test("nothing is shown of a daemon that does not run", async (t) => {
  const { daemon, store } = await opened(t, ["not-started"]);
  await holds(store, () => store.servers.length === 41);
  await daemon.stop();
  assert.deepEqual([store.servers, store.tasks], [[], []]);
  await daemon.start();
  await holds(store, () => store.loaded);
});

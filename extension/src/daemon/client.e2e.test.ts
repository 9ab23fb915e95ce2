// The client with the real winnowd, over real pipes.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { CancellationTokenSource } from "vscode-jsonrpc";
import { fileIn, testDaemon, winnowd } from "../../test/support/daemon";
import {
  CatalogDidChange,
  CatalogList,
  ConversationRoute,
  DidChangeSettings,
  type HostTool,
  InputRequest,
  ModeList,
  ModeSet,
  SetHostTools,
  TaskCall,
  TaskList,
  TaskOpen,
} from "../protocol/protocol.gen";
import type { ClientOptions, DaemonClient, DaemonState } from "./client";
import { DaemonError, isCancelled } from "./errors";

/** A folder that is gone after the test. */
async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-client-"));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return dir;
}

/** A client in a workspace of its own, ended after the test. */
async function client(t: TestContext, options: Partial<ClientOptions> = {}, file = "{}", storagePath = "") {
  const dir = await folder(t);
  await writeFile(path.join(dir, "winnow.json"), file);
  const log: string[] = [];
  const daemon = testDaemon(
    t,
    dir,
    { capabilities: { prompt: true }, storagePath },
    { onLog: (line) => log.push(line), ...options },
  );
  return { daemon, log, dir };
}

/** Waits for a state of a kind. */
function until(daemon: DaemonClient, kind: DaemonState["kind"]): Promise<DaemonState> {
  return new Promise((resolve) => {
    const check = (state: DaemonState) => {
      if (state.kind !== kind) return;
      listener.dispose();
      resolve(state);
    };
    const listener = daemon.onDidChangeState(check);
    check(daemon.state);
  });
}

function pidOf(state: DaemonState): number {
  assert.ok(state.kind === "ready" && state.pid !== undefined, state.kind);
  return state.pid;
}

/** Eighty tools of a host. */
const hostTools: HostTool[] = Array.from({ length: 80 }, (_, i) => ({
  server: `server${i % 4}`,
  name: `mcp_server${i % 4}_tool_${i}`,
  description: `${["Reads a file", "Sends a mail", "Takes a screenshot", "Queries the database"][i % 4] ?? ""} number ${i}`,
  inputSchema: { type: "object" },
}));

test("everybody who listens hears a notification, until they stop listening", async (t) => {
  const { daemon, dir } = await client(t);
  const file = path.join(dir, "winnow.json");
  const heard: string[] = [];
  const listen = (who: string) => daemon.onNotification(CatalogDidChange, () => heard.push(who));
  const first = listen("first");
  listen("second");
  let told: () => void = () => undefined;
  daemon.onNotification(CatalogDidChange, () => {
    told();
  });
  await daemon.start();
  for (const [i, expected] of [["first", "second"], ["second"]].entries()) {
    heard.length = 0;
    const change = new Promise<void>((resolve) => (told = resolve));
    await writeFile(file, JSON.stringify({ servers: { [`server${i}`]: { command: "no-such-program" } } }));
    await change;
    assert.deepEqual([...new Set(heard)], expected);
    first.dispose();
  }
});

test("it starts winnowd and asks", async (t) => {
  const { daemon } = await client(t);
  const states: string[] = [];
  daemon.onDidChangeState((state) => states.push(state.kind));
  const early = daemon.request(CatalogList, {});
  await daemon.start();
  assert.deepEqual((await early).servers, []);
  assert.deepEqual(states, ["starting", "ready"]);
});

test("after a crash the same tools are attached in the same order, and the mode is the same", async (t) => {
  const modes = JSON.stringify({ modes: { review: { blockedMcpServers: ["server3"] } } });
  const storage = await folder(t);
  const conversations = path.join(storage, "conversations");
  await mkdir(conversations);
  const kept = fileIn(t, conversations);
  const { daemon } = await client(t, {}, modes, storage);
  await daemon.start();
  await daemon.request(SetHostTools, { source: "chat", tools: hostTools });
  await daemon.request(ModeSet, { mode: "review" });
  const messages = [{ role: "user", digest: "1" }];
  const first = await daemon.request(ConversationRoute, { messages, message: "read file number 4", source: "chat" });
  assert.equal(first.attachment.mode, "dynamic");
  await kept;

  process.kill(pidOf(daemon.state), "SIGKILL");
  // It is sent while the daemon is dying, dead, or back.
  messages.push({ role: "assistant", digest: "2" }, { role: "user", digest: "3" });
  const second = await daemon.request(ConversationRoute, { messages, message: "send a mail", source: "chat" });
  assert.equal(second.task, first.task);
  assert.equal(second.attachment.turn, 2);
  const names = first.attachment.tools.map((tool) => tool.name);
  assert.deepEqual(
    second.attachment.tools.slice(0, names.length).map((tool) => tool.name),
    names,
  );
  assert.ok(second.attachment.tools.length > names.length);
  assert.equal((await daemon.request(ModeList, {})).current, "review");
  assert.equal((await daemon.request(TaskList, {})).tasks.length, 1);
});

test("a call of a tool that a crash cut off is not made again", async (t) => {
  const dir = await folder(t);
  const calls = path.join(dir, "calls");
  // An MCP server that notes each call and never answers it.
  const server = `
    const fs = require("node:fs"), send = (m) => console.log(JSON.stringify({ jsonrpc: "2.0", ...m }));
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
      else if (method === "tools/list") send({ id, result: { tools: [{ name: "pay", inputSchema: { type: "object" } }] } });
      else if (method === "tools/call") fs.appendFileSync(${JSON.stringify(calls)}, "x");
      else if (id !== undefined) send({ id, error: { code: -32601, message: "no" } });
    });`;
  const config = { servers: { shop: { command: process.execPath, args: ["-e", server] } } };
  const { daemon } = await client(t, {}, JSON.stringify(config));
  await daemon.start();
  await eventually(async () => (await daemon.request(CatalogList, {})).tools.length === 1);
  const task = await daemon.request(TaskOpen, { message: "pay" });
  const name = task.tools[0]?.name ?? "";
  const call = daemon.request(TaskCall, { task: task.task, name, arguments: {} }).catch((err: unknown) => err);
  await eventually(async () => (await readFile(calls, "utf8").catch(() => "")) === "x");
  process.kill(pidOf(daemon.state), "SIGKILL");
  const err = await call;
  assert.ok(err instanceof DaemonError && err.message.includes("task/call was not answered"), String(err));
  await until(daemon, "ready");
  await daemon.request(TaskList, {});
  assert.equal(await readFile(calls, "utf8"), "x");
});

/** Polls until something is so. */
async function eventually(so: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await so())) {
    assert.ok(Date.now() < deadline, "it did not come about in a minute");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("a daemon that crashes in a loop is given up, and the user is told", async (t) => {
  const dir = await folder(t);
  const crashing = path.join(dir, "winnowd");
  await writeFile(crashing, `#!/bin/sh\necho x >> ${dir}/starts\necho 'panic: no' >&2\nexit 2\n`);
  await chmod(crashing, 0o755);
  const waits: number[] = [];
  const { daemon, log } = await client(t, {
    binary: () => Promise.resolve(crashing),
    sleep: (ms) => Promise.resolve(void waits.push(ms)),
  });
  await daemon.start();
  assert.ok(daemon.state.kind === "stopped" && daemon.state.error !== undefined, JSON.stringify(daemon.state));
  assert.match(daemon.state.error.text, /exit code 2.*6 times in three minutes\. Look at the log, then restart it\./);
  assert.deepEqual(waits, [100, 200, 400, 800, 1600]);
  assert.equal((await readFile(path.join(dir, "starts"), "utf8")).length, 12);
  assert.equal(log.filter((line) => line === "panic: no").length, 6);
  await assert.rejects(daemon.request(TaskList, {}), /6 times in three minutes/);
});

test("what will not mend by itself is not tried again", async (t) => {
  const missing = await client(t, {
    binary: () => Promise.reject(new DaemonError("no daemon", { next: "Install it." })),
  });
  await missing.daemon.start();
  assert.ok(missing.daemon.state.kind === "stopped");
  assert.equal(missing.daemon.state.error?.text, "no daemon. Install it.");

  const gone = await client(t, { binary: () => Promise.resolve(path.join(tmpdir(), "winnow-no-such-program")) });
  await gone.daemon.start();
  assert.ok(gone.daemon.state.kind === "stopped");
  assert.match(gone.daemon.state.error?.text ?? "", /could not be started: .*ENOENT.*\. Check the setting/);
});

test("a daemon that never answers is ended, and the user is told", async (t) => {
  const dir = await folder(t);
  const file = path.join(dir, "winnowd");
  await writeFile(file, `#!/bin/sh\necho $$ > ${dir}/pid\nexec cat >/dev/null\n`, { mode: 0o755 });
  const { daemon } = await client(t, { binary: () => Promise.resolve(file), initializeMs: 5000 });
  await daemon.start();
  assert.ok(daemon.state.kind === "stopped");
  assert.match(daemon.state.error?.text ?? "", /did not answer within 5 s of its start\. Check the setting/);
  const pid = Number(await readFile(path.join(dir, "pid"), "utf8"));
  await eventually(() => {
    try {
      process.kill(pid, 0);
      return Promise.resolve(false);
    } catch {
      return Promise.resolve(true);
    }
  });
});

test("a daemon of another protocol version is refused", async (t) => {
  const dir = await folder(t);
  const file = path.join(dir, "winnowd");
  const text = JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    error: {
      code: -32602,
      message: "this daemon speaks protocol version 2, not 1",
      data: { kind: "protocolVersion" },
    },
  });
  await writeFile(
    file,
    `#!/bin/sh\nprintf 'Content-Length: ${text.length}\\r\\n\\r\\n%s' '${text}'\nexec cat >/dev/null\n`,
  );
  await chmod(file, 0o755);
  const { daemon } = await client(t, { binary: () => Promise.resolve(file) });
  await daemon.start();
  assert.ok(daemon.state.kind === "stopped");
  assert.match(
    daemon.state.error?.text ?? "",
    /another version than this extension .*speaks protocol version 2.*daemon\.path/,
  );
});

test("it is cancelled, settings flow, and a stop settles what waits", async (t) => {
  const dir = await folder(t);
  const asked = new Promise<void>((resolve) => {
    void client(
      t,
      {},
      JSON.stringify({
        inputs: [{ id: "key", type: "promptString", description: "A key" }],
        servers: { s: { command: path.join(dir, "none"), env: { KEY: "${input:key}" } } },
      }),
    ).then(async ({ daemon }) => {
      daemon.onRequest(InputRequest, ({ id }) => {
        assert.equal(id, "key");
        resolve();
        return {};
      });
      await daemon.start();
    });
  });
  await asked;

  const { daemon } = await client(t);
  await daemon.start();
  await daemon.request(SetHostTools, { source: "chat", tools: hostTools });
  daemon.notify(DidChangeSettings, { settings: { searchTurns: 0 } });
  const all = await daemon.request(TaskOpen, { message: "mail", source: "chat" });
  assert.equal(all.mode, "all");
  assert.equal(all.tools.length, 80);

  const source = new CancellationTokenSource();
  source.cancel();
  const cancelled = await daemon.request(CatalogList, {}, source.token).catch((err: unknown) => err);
  // A daemon may be faster than its user.
  assert.ok(isCancelled(cancelled) || !(cancelled instanceof Error), String(cancelled));

  const pid = pidOf(daemon.state);
  await daemon.stop();
  assert.throws(() => process.kill(pid, 0), "the process is gone");
  await assert.rejects(daemon.request(TaskList, {}), /was stopped/);
  await daemon.restart();
  assert.notEqual(pidOf(daemon.state), pid);
});

test("of restarts at the same time one daemon is left, and none after a stop", async (t) => {
  const dir = await folder(t);
  const pids = path.join(dir, "pids");
  const wrapper = path.join(dir, "winnowd");
  await writeFile(wrapper, `#!/bin/sh\necho $$ >>'${pids}'\nexec '${winnowd}' "$@"\n`);
  await chmod(wrapper, 0o755);
  const { daemon } = await client(t, { binary: () => Promise.resolve(wrapper) });
  const started = async () => (await readFile(pids, "utf8")).trim().split("\n").map(Number).filter(isRunning);

  await daemon.start();
  await Promise.all([daemon.restart(), daemon.restart(), daemon.start(), daemon.restart()]);
  await until(daemon, "ready");
  assert.deepEqual(await started(), [pidOf(daemon.state)]);
  await daemon.request(TaskList, {});

  await Promise.all([daemon.restart(), daemon.stop()]);
  assert.equal(daemon.state.kind, "stopped");
  assert.deepEqual(await started(), []);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

// Runs npm start as a user does: real daemon, real servers from npm.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import test from "node:test";
import type { DemoEvent } from "./events";
import type { DemoDocument } from "./json";
import { until } from "../test/host/processes";
import { commandsWith } from "./processes";
import { notes } from "./workspace";

/** What a run of npm start printed, and how it ended. */
interface Run {
  code: number | string;
  stdout: string;
  stderr: string;
}

function npmStart(...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: "1" };
    execFile("npm", ["--silent", "start", "--", ...args], { env, maxBuffer: 64 << 20 }, (err, stdout, stderr) => {
      resolve({ code: err?.code ?? 0, stdout, stderr });
    });
  });
}

/** The events of one kind. */
function of<K extends DemoEvent["kind"]>(document: DemoDocument, kind: K): Extract<DemoEvent, { kind: K }>[] {
  return document.events.filter((event): event is Extract<DemoEvent, { kind: K }> => event.kind === kind);
}

test("npm start -- --json routes a task over real servers and calls a tool", async () => {
  const { code, stdout, stderr } = await npmStart("--json", "--no-editor", "--read", "garden.md");
  assert.equal(code, 0, stderr);
  const document = JSON.parse(stdout) as DemoDocument;
  assert.equal(document.ok, true);
  if (process.platform === "linux")
    assert.deepEqual(await commandsWith("winnow-demo-"), [], "it ends all that it started");

  assert.deepEqual(
    of(document, "server")
      .map(({ server }) => [server.name, server.state])
      .sort(),
    ["chrome-devtools", "everything", "filesystem", "memory", "playwright", "sequential-thinking"].map((name) => [
      name,
      "ready",
    ]),
  );
  const [catalog] = of(document, "catalog");
  assert.ok((catalog?.tools ?? 0) > 100, "more than 100 tools, so that there is something to route");

  // The page that newcomers read says what they see.
  const readme = await readFile("README.md", "utf8");
  const figures = [catalog?.tools, catalog?.tokens].map((n) => (n ?? 0).toLocaleString("en-US"));
  for (const figure of [`${figures[0]} tools`, `${figures[1]} tokens`])
    assert.ok(readme.includes(figure), `README.md does not say ${figure}`);

  const [first, second] = of(document, "turn");
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(first.rows.length, 30);
  assert.ok(first.rows.some(({ server, tool }) => server === "filesystem" && tool === "read_text_file"));
  assert.ok(first.rows.every(({ tokens }) => tokens > 0));
  const best = first.rows.find(({ rank }) => rank === 1);
  assert.ok(best !== undefined && best.score > 0 && best.why.length > 0, "the best match is attached, with a reason");
  assert.ok(first.tokens.saved > 0 && first.tokens.attached < first.tokens.all / 2, "routing saves more than half");
  assert.equal(second.turn, 2);
  assert.ok(second.rows.length > 0 && second.rows.length <= 10);
  assert.equal(second.counts.attached, first.counts.attached + second.rows.length);

  const [load] = of(document, "load");
  assert.ok(load?.loaded.some(({ server }) => server === "memory"));
  const [call] = of(document, "call");
  assert.equal(call?.text, notes["garden.md"]);
  // The first thing that happens is a routed task whose tool is really called.
  const kinds = document.events.map(({ kind }) => kind).filter((kind) => ["turn", "call", "load"].includes(kind));
  assert.deepEqual(kinds, ["turn", "call", "turn", "load"]);
});

test("npm start prints for people, in plain text where there is no terminal", async () => {
  const { code, stdout, stderr } = await npmStart("take a screenshot of a page");
  assert.equal(code, 0, stderr);
  for (const part of [
    "Servers",
    "Turn 1: “take a screenshot of a page”",
    "Turn 2",
    "mcp_load",
    "Call filesystem/read_text_file",
    "% saved",
    "# Espresso",
  ]) {
    assert.ok(stdout.includes(part), `${part} is missing in\n${stdout}`);
  }
  assert.ok(!stdout.includes("\u001b"));
  // What takes a while is said before it does, beside the output.
  const waits = ["building winnowd", "starting winnowd", "waiting for MCP servers to start: "];
  assert.deepEqual(
    waits.map((wait) => stderr.includes(wait)),
    waits.map(() => true),
    stderr,
  );
});

test("a failure is told in words, in JSON and by the exit code", async () => {
  const { code, stdout, stderr } = await npmStart("--json", "--read", "nothing.md");
  assert.equal(code, 1);
  const document = JSON.parse(stdout) as DemoDocument;
  assert.equal(document.ok, false);
  assert.match(document.error ?? "", /no note nothing\.md; there are espresso\.md/);
  assert.match(stderr, /npm start: there is no note/);
});

test("Ctrl-C leaves no process and no folder behind", { skip: process.platform !== "linux" }, async () => {
  // A group of its own, so that the signal reaches it all, as a terminal's does.
  const child = spawn("npm", ["--silent", "start"], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  assert.ok(child.pid !== undefined);
  child.stdout.setEncoding("utf8");
  let seen = "";
  for await (const text of child.stdout as AsyncIterable<string>) {
    seen += text;
    if (seen.includes("Servers")) break; // the servers are starting
  }
  const folder = /workspace (\S+)\/workspace/.exec(seen)?.[1] ?? "";
  assert.ok(existsSync(folder), `no folder ${folder} in\n${seen}`);
  const exited = once(child, "exit");
  process.kill(-child.pid, "SIGINT");
  await exited;
  await until("the end of all processes", async () => (await commandsWith(folder)).length === 0);
  assert.equal(existsSync(folder), false);
});

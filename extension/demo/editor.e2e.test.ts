// npm start in a terminal, where it ends by opening an editor: code-server,
// where there is no `code` command, and else that command, for which a script
// stands in.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { chromium } from "../test/host/chromium.mjs";
import { launch } from "../test/host/editor";
import { until } from "../test/host/processes";
import { Workbench } from "../test/host/workbench";
import { routedName } from "../src/models/twins";
import { commandsWith } from "./processes";

/** Why there is no terminal to try it in, if so. */
function obstacle(): string | false {
  if (process.platform !== "linux" || process.arch !== "x64") return "code-server from npm runs on Linux x64 only";
  return runs("command -v script") ? false : "it needs util-linux's `script`, for a terminal";
}

/** Whether a command of the shell succeeds. */
function runs(command: string): boolean {
  try {
    execFileSync("sh", ["-c", command], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Why code-server cannot be tried, if so. */
function codeObstacle(): string | false {
  return obstacle() || (runs("command -v code") && "it needs a machine without `code`");
}

/** Starts npm start in a terminal of its own, and in a group, so that a signal reaches it all. */
function inTerminal(more: NodeJS.ProcessEnv = {}, args = "") {
  const env: NodeJS.ProcessEnv = { ...process.env, CI: undefined, VSCODE_IPC_HOOK_CLI: undefined, ...more };
  return spawn("script", ["-qfec", `npm --silent start ${args}`, "/dev/null"], {
    detached: true,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
}

test("it opens the demo's folder behind a password, and Ctrl-C ends it all", { skip: codeObstacle() }, async () => {
  const child = inTerminal();
  // It is read to the end: a terminal that is gone would end it too.
  let seen = "";
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      seen += text;
      if (seen.includes("Ctrl-C ends it")) resolve();
    });
    child.on("exit", resolve);
  });
  const address = /VS Code is at (\S+)/.exec(seen)?.[1];
  assert.ok(address !== undefined, seen);
  const url = new URL(address);
  const folder = url.searchParams.get("folder") ?? "";
  assert.ok(existsSync(`${folder}/.vscode/mcp.json`), folder);
  assert.equal(url.hostname, "127.0.0.1");
  const page = await fetch(new URL("/", url), { redirect: "manual" });
  assert.match(page.headers.get("location") ?? "", /login/, "the page asks for the password");
  const exited = once(child, "exit");
  try {
    await chat(address, /The password is (\S+)\. /.exec(seen)?.[1] ?? "");
  } finally {
    child.stdin.write("\u0003"); // Ctrl-C, as the terminal gets it
    const [code] = (await exited) as [number | null];
    assert.ok(code === 0 || code === 130, `exit code ${code}; npm's own after a Ctrl-C is 130`);
  }
  await until("the end of all processes", async () => (await commandsWith(folder)).length === 0);
  assert.equal(existsSync(folder), false);
});

/** How long each step in the editor may take, in milliseconds: VS Code starts four servers for the first message. */
const patience = 180_000;

/** Signs in as a person does, and asks the demo's model what the folder's README.md tells to ask. */
async function chat(address: string, password: string): Promise<void> {
  const browser = await launch(await chromium());
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    await page.goto(address);
    await page.locator("input[type=password]").fill(password);
    await page.keyboard.press("Enter");
    const workbench = new Workbench(page);
    page.setDefaultTimeout(patience);
    await workbench.loaded();
    try {
      // README.md takes the focus once it is drawn.
      await page.getByRole("tab", { name: /README\.md/ }).waitFor();
      await workbench.command("View: Close All Editors");
      await workbench.modelChosen("Scripted One");
      // The first step: VS Code's own agent, which wants no account either.
      await workbench.chooseModel(routedName("Scripted One"));
      await workbench.ask("get the tiny image");
      await workbench.answered(/is the MCP logo/); // as the tool's result says
      const status = (await workbench.statusBarItem(/ of \d+ tools/).textContent()) ?? "";
      const [, attached, all] = /(\d+) of (\d+) tools/.exec(status) ?? [];
      assert.ok(Number(all) > 100 && Number(attached) < 50, `the status bar says ${status}`);
      await workbench.ask("@winnow read the note notes/espresso.md");
      // That a tool only reads is its server's word until a person lets it run.
      await page.locator(".interactive-response").getByRole("button", { name: "Allow", exact: true }).click();
      await workbench.answered(/36 g out/);
    } finally {
      await mkdir("out/screens", { recursive: true });
      await page.screenshot({ path: "out/screens/demo.png", animations: "disabled" });
    }
  } finally {
    await browser.close();
  }
}

for (const [what, args, env] of [
  ["--no-editor", "-- --no-editor", {}],
  ["CI", "", { CI: "true" }],
] as const) {
  test(`in a terminal, ${what} leaves the editor out`, { skip: obstacle() }, async () => {
    const child = inTerminal(env, args);
    let seen = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (seen += text));
    const [exit] = (await once(child, "close")) as [number | null];
    assert.equal(exit, 0, seen);
    assert.match(seen, /garden\.md|espresso\.md|bicycle\.md/, "the demo has run");
    assert.doesNotMatch(seen, /VS Code/);
  });
}

/** A `code` that writes down how it was called, and what it found then. */
const code = `#!/bin/sh
printf '%s\\n' "$@" > "$RECORD/argv"
for folder; do :; done
cp -r "$folder" "$RECORD/folder"
for arg; do [ "$before" = --user-data-dir ] && cp -r "$arg" "$RECORD/user"; before="$arg"; done
[ -z "$FAIL" ] && exit 0
echo "$FAIL" >&2
exit 3
`;

/** Runs npm start to its end where the command `code` is a script; leftovers are the temporary files that it leaves. */
async function withCode(t: TestContext, more: NodeJS.ProcessEnv = {}) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-code-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const [bin, decoy, record, tmp] = ["bin", "decoy", "record", "tmp"].map((name) => path.join(dir, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [bin, decoy, record, tmp]) await mkdir(folder);
  await writeFile(path.join(bin, "code"), code);
  await chmod(path.join(bin, "code"), 0o755);
  await writeFile(path.join(decoy, "code"), "not a program");
  const PATH = [decoy, bin, process.env["PATH"]].join(path.delimiter);
  const child = inTerminal({ ...more, PATH, RECORD: record, TMPDIR: tmp });
  let seen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (seen += text));
  const [exit] = (await once(child, "close")) as [number | null];
  const leftovers = (await readdir(tmp)).filter((name) => name.startsWith("winnow-"));
  return { seen, exit, record, leftovers };
}

test(
  "a `code` command is given our extension, the model, a profile of its own and the folder",
  { skip: obstacle() },
  async (t) => {
    const { seen, exit, record, leftovers } = await withCode(t);
    assert.equal(exit, 0, seen);
    assert.match(seen, /building winnowd[\s\S]*waiting for MCP servers[\s\S]*building the extension for VS Code/);
    const argv = (await readFile(path.join(record, "argv"), "utf8")).trimEnd().split("\n");
    const value = (name: string) => argv[argv.indexOf(name) + 1] ?? "";
    for (const flag of ["--new-window", "--wait", "--disable-workspace-trust"]) assert.ok(argv.includes(flag), flag);
    const extensions = argv.flatMap((arg) => /^--extensionDevelopmentPath=(.*)$/.exec(arg)?.[1] ?? []);
    const names = extensions.map(async (file) => {
      const { name } = JSON.parse(await readFile(path.join(file, "package.json"), "utf8")) as { name: string };
      return name;
    });
    assert.deepEqual(await Promise.all(names), ["winnow", "scripted-model"]);
    const [user, installed, folder] = [value("--user-data-dir"), value("--extensions-dir"), argv.at(-1) ?? ""];
    for (const own of [user, installed]) assert.match(own, /winnow-host-/);
    assert.ok((await readdir(path.join(record, "user", "User"))).includes("settings.json"));
    assert.deepEqual(await readdir(path.join(record, "folder", ".vscode")), ["mcp.json", "winnow.json"]);
    for (const gone of [user, installed, folder]) assert.equal(existsSync(gone), false, gone);
    assert.deepEqual(leftovers, []);
    await until("the end of all processes", async () => (await commandsWith(folder)).length === 0);
  },
);

test("a `code` command that fails is told with its own words and what to do", { skip: obstacle() }, async (t) => {
  const { seen, exit, leftovers } = await withCode(t, { FAIL: "cannot open display" });
  assert.equal(exit, 1, seen);
  assert.match(seen, /VS Code's command \S+\/bin\/code ended with 3\.\s+cannot open display\s+Mend it, or take it out/);
  assert.match(seen, /npm start -- --no-editor/);
  assert.deepEqual(leftovers, []);
});

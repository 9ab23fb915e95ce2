// npm start in a terminal, where it ends by opening an editor. There is no
// `code` command on a test machine, so it is code-server.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import test from "node:test";
import { commandsWith } from "./processes";

/** Why it cannot be tried here, if so. */
function obstacle(): string | false {
  if (process.platform !== "linux" || process.arch !== "x64") return "code-server from npm runs on Linux x64 only";
  try {
    execFileSync("sh", ["-c", "command -v script && ! command -v code"]);
    return false;
  } catch {
    return "it needs util-linux's `script`, for a terminal, and a machine without `code`";
  }
}

test("it opens the demo's folder behind a password, and Ctrl-C ends it all", { skip: obstacle() }, async () => {
  const env = { ...process.env };
  delete env["CI"];
  // A terminal of its own, and a group, so that the signal reaches it all.
  const child = spawn("script", ["-qfec", "npm --silent start", "/dev/null"], {
    detached: true,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
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
  const page = await fetch(url, { redirect: "manual" });
  assert.match(page.headers.get("location") ?? "", /login/, "the page asks for the password");

  const exited = once(child, "exit");
  child.stdin.write("\u0003"); // Ctrl-C, as the terminal gets it
  const [code] = (await exited) as [number | null];
  assert.ok(code === 0 || code === 130, `exit code ${code}; npm's own after a Ctrl-C is 130`);
  assert.deepEqual(await commandsWith(folder), []);
  assert.equal(existsSync(folder), false);
});

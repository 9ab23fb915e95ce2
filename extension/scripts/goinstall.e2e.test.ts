// go install builds a tag: here from a module proxy that is a folder, into a
// GOPATH that has nothing yet.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);
const modulePath = "github.com/winnow-mcp/winnow";

/** What a command prints. */
async function output(command: string, ...args: string[]): Promise<string> {
  return (await run(command, args)).stdout.trim();
}

/** Publishes what is in the working tree as a version, as a module proxy serves it. */
async function publish(proxy: string, version: string): Promise<void> {
  const dir = path.join(proxy, modulePath, "@v");
  await mkdir(dir, { recursive: true });
  // What is not committed yet is published too, and the working tree stays as it is.
  const author = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
  const commit = (await output("git", ...author, "stash", "create")) || "HEAD";
  const modules = (await output("git", "ls-files", "*/go.mod")).split("\n");
  // A module has no other module's files.
  const others = modules.map((file) => `:(exclude)${path.posix.dirname(file)}`);
  const zip = ["--format=zip", `--prefix=${modulePath}@${version}/`, `--output=${path.join(dir, `${version}.zip`)}`];
  await output("git", "archive", ...zip, commit, "--", ".", ...others);
  await writeFile(path.join(dir, `${version}.mod`), await output("git", "show", `${commit}:go.mod`));
  await writeFile(path.join(dir, `${version}.info`), JSON.stringify({ Version: version }));
  await writeFile(path.join(dir, "list"), `${version}\n`);
}

test("go install makes winnowd of a tag, which knows its version", async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-goinstall-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const proxy = path.join(dir, "proxy");
  await publish(proxy, "v0.9.1");
  const downloaded = path.join(await output("go", "env", "GOMODCACHE"), "cache", "download");
  const env = {
    ...process.env,
    GOPATH: path.join(dir, "go"),
    GOMODCACHE: "",
    GOBIN: "",
    // What is here already need not come from far away.
    GOPROXY: [`file://${proxy}`, `file://${downloaded}`, await output("go", "env", "GOPROXY")].join(),
    GONOSUMDB: modulePath,
    GOFLAGS: "-trimpath -modcacherw",
    CGO_ENABLED: "0",
  };
  await run("go", ["install", `${modulePath}/daemon/cmd/winnowd@v0.9.1`], { cwd: dir, env });
  const installed = path.join(env.GOPATH, "bin", process.platform === "win32" ? "winnowd.exe" : "winnowd");
  assert.equal(await output(installed, "-version"), "winnowd 0.9.1");
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { openPromise } from "yauzl";

const run = promisify(execFile);

/** The folder of the extension in a VSIX. */
const inside = "extension/";

/** The most that a VSIX may weigh without the embedding model, in bytes. */
const maxSize = 15 * 1024 * 1024;

interface File {
  mode: number;
  content: Buffer;
}

/** Reads the files of a VSIX. */
async function unpack(vsix: string): Promise<Map<string, File>> {
  const zip = await openPromise(vsix);
  const files = new Map<string, File>();
  for await (const entry of zip.eachEntry()) {
    const stream = await zip.openReadStreamPromise(entry);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    files.set(entry.fileName, { mode: (entry.externalFileAttributes >>> 16) & 0o777, content: Buffer.concat(chunks) });
  }
  return files;
}

/** Runs npm run package and returns the file that it names. */
async function pack(): Promise<string> {
  const { stdout } = await run(process.execPath, ["extension/scripts/package.mjs"]);
  return stdout.trim();
}

test("a VSIX has a daemon that runs, what it needs, nothing else, and the same bytes each time", async (t) => {
  const vsix = await pack();
  const bytes = await readFile(vsix);
  const files = await unpack(vsix);
  const daemon = files.get(`${inside}extension/bin/winnowd`);
  assert.ok(daemon !== undefined, [...files.keys()].join("\n"));
  assert.equal(daemon.mode & 0o111, 0o111, "the daemon may be executed");
  for (const file of ["package.json", "readme.md", "changelog.md", "LICENSE.txt", "extension/dist/extension.js"]) {
    assert.ok(files.has(inside + file), file);
  }
  const unwanted = [...files.keys()].filter(
    (name) => /node_modules|\.(ts|go|map|mjs)$/.test(name) && !name.endsWith(".d.ts"),
  );
  assert.deepEqual(unwanted, []);
  const notices = files.get(`${inside}extension/dist/THIRD_PARTY_NOTICES.txt`)?.content.toString() ?? "";
  for (const name of ["github.com/mark3labs/mcp-go", "vscode-jsonrpc", "embedding model"])
    assert.ok(notices.includes(name), name);

  const model = await stat("ranker/static/static-256d-20k-int8.sem");
  assert.ok(bytes.length < maxSize + model.size, `${bytes.length} bytes`);

  const dir = await mkdtemp(path.join(tmpdir(), "winnow-vsix-"));
  t.after(() => rm(dir, { recursive: true }));
  const program = path.join(dir, "winnowd");
  await writeFile(program, daemon.content, { mode: daemon.mode });
  const manifest = JSON.parse(files.get(`${inside}package.json`)?.content.toString() ?? "") as { version: string };
  assert.equal((await run(program, ["-version"])).stdout, `winnowd ${manifest.version}\n`);

  const again = await readFile(await pack());
  const sum = (content: Buffer) => createHash("sha256").update(content).digest("hex");
  assert.equal(sum(again), sum(bytes));
});

test("an unknown target names those that there are", async () => {
  const failed = run(process.execPath, ["extension/scripts/package.mjs", "--target", "plan9-x64"]);
  await assert.rejects(failed, /no target "plan9-x64"; there are: linux-x64, .*win32-arm64, all/);
});

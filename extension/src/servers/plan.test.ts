import assert from "node:assert/strict";
import { chmod, lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { Moves, userConfigDir } from "./moves";
import { type ClientFile, type ImportRecord, planImport, planUndo, serversIn } from "./plan";

const vscode: ClientFile = { client: "VS Code", root: "servers" };

const source = `{
  // Ours.
  "servers": {
    "files": {
      "type": "stdio", // a program
      "command": "npx",
      "args": ["-y", "files"],
    },
    "github": {
      "type": "http",
      "url": "https://example.com/mcp",
      "headers": { "Authorization": "Bearer \${input:token}" },
      "sandboxEnabled": true,
    },
    "stays": { "command": "stay" },
  },
  "inputs": [
    { "type": "promptString", "id": "token", "description": "The token", "password": true },
    { "type": "promptString", "id": "other", "description": "Another" },
  ],
}
`;

const plan = (target: string | undefined, names = ["files", "github"]) =>
  planImport(vscode, names, { path: "/a/mcp.json", text: source }, { path: "/a/winnow.json", text: target });

const record = (made: ReturnType<typeof plan>): ImportRecord => ({ ...made, version: 1, id: "x" });

test("entries are moved with their comments, and with the inputs they ask for", () => {
  const made = plan(undefined);
  assert.equal(
    made.target.after,
    `{
  "servers": {
    "files": {
      "type": "stdio", // a program
      "command": "npx",
      "args": ["-y", "files"],
    },
    "github": {
      "type": "http",
      "url": "https://example.com/mcp",
      "headers": { "Authorization": "Bearer \${input:token}" },
    }
  },
  "inputs": [
    { "type": "promptString", "id": "token", "description": "The token", "password": true }
  ]
}
`,
  );
  assert.deepEqual(serversIn(made.source.after, vscode), ["stays"]);
  assert.match(made.source.after, /\/\/ Ours\.[\s\S]*"stays": \{ "command": "stay" \}[\s\S]*"token"[\s\S]*"other"/);
  assert.deepEqual(made.notes, ["Of “github” this is left out, as Winnow has no such thing: sandboxEnabled."]);
});

test("what Winnow's file has stays, and a server of the same name is not moved", () => {
  const target = `{
  "servers": {
    "files": { "command": "mine" } // keep me
  }
}
`;
  const made = plan(target);
  assert.match(made.target.after, /"command": "mine"[\s\S]*\/\/ keep me/);
  assert.deepEqual(
    made.servers.map(({ name }) => name),
    ["github"],
  );
  assert.deepEqual(serversIn(made.source.after, vscode), ["files", "stays"]);
  assert.match(made.notes[0] ?? "", /“files” is in Winnow's file already/);
});

test("Claude Code counts timeouts in milliseconds", () => {
  const made = planImport(
    { client: "Claude Code", root: "mcpServers", milliseconds: true },
    ["a"],
    { path: "/.mcp.json", text: '{"mcpServers":{"a":{"command":"x","timeout":30000}}}' },
    { path: "/winnow.json", text: undefined },
  );
  assert.deepEqual(JSON.parse(made.target.after), { servers: { a: { command: "x", timeout: 30 } } });
});

test("undone before anything else changed, both files have their bytes again", () => {
  const made = plan(undefined);
  const undone = planUndo(record(made), { source: made.source.after, target: made.target.after });
  assert.equal(undone.source.after, source);
  assert.equal(undone.target.after, undefined);
  assert.deepEqual(undone.notes, []);
});

test("undone after other changes, these stay", () => {
  const made = plan('{ "modes": {} }');
  const changed = {
    source: made.source.after.replace('"stays"', '"renamed"'),
    target: made.target.after.replace('"modes": {}', '"modes": { "review": {} }'),
  };
  const undone = planUndo(record(made), changed);
  assert.deepEqual(serversIn(undone.source.after, vscode).sort(), ["files", "github", "renamed"]);
  assert.match(undone.source.after, /\/\/ a program/);
  assert.match(undone.source.after, /"sandboxEnabled": true/);
  assert.match(undone.target.after ?? "", /"review"/);
  assert.deepEqual(serversIn(undone.target.after ?? "", vscode), []);
  assert.doesNotMatch(undone.target.after ?? "", /token/);
});

test("a broken file has no servers, and nothing is moved out of it", () => {
  assert.deepEqual(serversIn("{ broken", vscode), []);
  assert.deepEqual(planImport(vscode, ["a"], { path: "/a", text: "" }, { path: "/b", text: undefined }).servers, []);
});

test("on the disk: a backup for the user only, both files written, and undone", async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-moves-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const from = path.join(dir, "mcp.json");
  const to = path.join(dir, "deep", "winnow.json");
  await mkdir(path.join(dir, "config"));
  await writeFile(from, source);
  const moves = new Moves(path.join(dir, "config"));
  const planned = planImport(vscode, ["files"], { path: from, text: source }, { path: to, text: undefined });
  await moves.make(planned, new Date(0));
  assert.deepEqual(serversIn(await readFile(to, "utf8"), vscode), ["files"]);
  const backups = path.join(dir, "config", "imports", "1970-01-01T00-00-00.000Z");
  assert.deepEqual((await readdir(backups)).sort(), ["backup of mcp.json", "record.json"]);
  assert.equal((await stat(path.join(backups, "backup of mcp.json"))).mode & 0o777, 0o600);
  await assert.rejects(moves.make(planned, new Date(1)), /has changed meanwhile/);
  const { records } = await moves.list();
  const [kept] = records;
  assert.ok(kept !== undefined);
  await moves.undo(kept);
  assert.equal(await readFile(from, "utf8"), source);
  await assert.rejects(readFile(to), /ENOENT/);
  assert.deepEqual(await moves.list(), { records: [], broken: [] });
});

test("a move that was undone is not undone again: the servers may have been moved anew since", async (t) => {
  const { dir, moves, plan } = await onDisk(t, { from: { text: source, mode: 0o600 } });
  const first = await moves.make(await plan("from", "to"), new Date(0));
  assert.ok((await moves.undo(first)) !== undefined);
  await moves.make(await plan("from", "to"), new Date(1));
  const moved = await readFile(path.join(dir, "to"), "utf8");
  assert.equal(await moves.undo(first), undefined);
  assert.equal(await readFile(path.join(dir, "to"), "utf8"), moved);
  assert.equal((await moves.list()).records.length, 1);
});

/** A folder with files of these names and modes, whose moves are made and undone. */
async function onDisk(t: TestContext, files: Record<string, { text: string; mode: number }>) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-moves-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  for (const [name, { text, mode }] of Object.entries(files)) {
    await writeFile(path.join(dir, name), text, { mode });
    await chmod(path.join(dir, name), mode); // whatever the umask
  }
  return {
    dir,
    moves: new Moves(path.join(dir, "config")),
    mode: async (name: string) => ((await stat(path.join(dir, name))).mode & 0o777).toString(8),
    plan: async (from: string, to: string) =>
      planImport(
        vscode,
        ["files"],
        { path: path.join(dir, from), text: await readFile(path.join(dir, from), "utf8") },
        { path: path.join(dir, to), text: await readFile(path.join(dir, to), "utf8").catch(() => undefined) },
      ),
  };
}

const posix = { skip: process.platform === "win32" };

test("a file keeps its mode, and what was only the user's to read stays so", posix, async (t) => {
  const { moves, mode, plan } = await onDisk(t, {
    secret: { text: source, mode: 0o600 },
    open: { text: source, mode: 0o664 },
    there: { text: "{}", mode: 0o644 },
  });
  const made = await moves.make(await plan("secret", "new"), new Date(0));
  assert.deepEqual([await mode("secret"), await mode("new")], ["600", "600"]);
  await moves.undo(made);
  assert.equal(await mode("secret"), "600");
  await moves.undo(await moves.make(await plan("open", "there"), new Date(1)));
  assert.deepEqual([await mode("open"), await mode("there")], ["664", "644"]);
  await moves.make(await plan("secret", "there"), new Date(2));
  assert.equal(await mode("there"), "600");
});

test("a file behind a link is written, and the link stays", posix, async (t) => {
  const { dir, moves, plan } = await onDisk(t, { dotfile: { text: source, mode: 0o600 } });
  await symlink("dotfile", path.join(dir, "linked"));
  const made = await moves.make(await plan("linked", "new"), new Date(0));
  assert.ok((await lstat(path.join(dir, "linked"))).isSymbolicLink());
  assert.deepEqual(serversIn(await readFile(path.join(dir, "dotfile"), "utf8"), vscode), ["github", "stays"]);
  await moves.undo(made);
  assert.ok((await lstat(path.join(dir, "linked"))).isSymbolicLink());
  assert.equal(await readFile(path.join(dir, "dotfile"), "utf8"), source);
});

test("a record that cannot be read hides no other, and is told", async (t) => {
  const { dir, moves, plan } = await onDisk(t, { from: { text: source, mode: 0o600 } });
  const made = await moves.make(await plan("from", "to"), new Date(0));
  const imports = path.join(dir, "config", "imports");
  for (const [id, text] of [
    ["1", JSON.stringify(made).slice(0, 99)],
    ["2", JSON.stringify({ ...made, version: 2 })],
    ["3", "null"],
    ["30", '{"version":1}'],
  ] as const) {
    await mkdir(path.join(imports, id));
    await writeFile(path.join(imports, id, "record.json"), text);
  }
  await mkdir(path.join(imports, "4")); // cut off before anything was moved
  const { records, broken } = await moves.list();
  assert.deepEqual(
    records.map(({ id }) => id),
    [made.id],
  );
  assert.deepEqual(
    broken.map(({ dir: at }) => path.basename(at)),
    ["30", "3", "2", "1"],
  );
  const reasons = broken.map(({ reason }) => reason).join("\n");
  assert.match(
    reasons,
    /^something is missing in it\nit is no record of version 1, .*\nit is no record of version 1, .*\n.*JSON/,
  );
});

test("the user's folder is where the daemon looks", () => {
  const of = (platform: string, env = {}) => userConfigDir({ platform, env, home: "/home/a" });
  assert.equal(of("linux"), "/home/a/.config/winnow");
  assert.equal(of("linux", { XDG_CONFIG_HOME: "/x" }), "/x/winnow");
  assert.equal(of("darwin"), "/home/a/Library/Application Support/winnow");
  assert.equal(of("win32", { APPDATA: "/roaming" }), "/roaming/winnow");
});

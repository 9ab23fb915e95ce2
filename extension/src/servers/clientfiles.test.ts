import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { candidatesIn } from "./clientfiles";
import { Moves } from "./moves";
import { planImport } from "./plan";

/** A machine with these files, from its root. */
async function machine(t: TestContext, files: Record<string, string>) {
  const root = await mkdtemp(path.join(tmpdir(), "winnow-clients-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  const at = (...parts: string[]) => path.join(root, ...parts);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(at(file)), { recursive: true });
    await writeFile(at(file), text);
  }
  const homes = { home: at("home"), storages: at("User/globalStorage"), userDir: at("config/winnow") };
  return { at, root, find: () => candidatesIn({ folders: [at("one"), at("two")], ...homes }) };
}

const file = (root: string, name: string) => JSON.stringify({ [root]: { [name]: { command: name } } });

test("every client's file is found, in each folder and the user's own, and goes to Winnow's file beside it", async (t) => {
  const { root, find } = await machine(t, {
    "one/.vscode/mcp.json": file("servers", "a"),
    "one/.mcp.json": file("mcpServers", "b"),
    "one/.cursor/mcp.json": file("mcpServers", "c"),
    "one/.roo/mcp.json": file("mcpServers", "d"),
    "one/.zoo/mcp.json": file("mcpServers", "e"),
    "two/.mcp.json": file("mcpServers", "f"),
    "User/mcp.json": file("servers", "g"),
    "home/.claude.json": file("mcpServers", "h"),
    "home/.cursor/mcp.json": file("mcpServers", "i"),
    "User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json": file("mcpServers", "j"),
    "User/globalStorage/zoocodeorganization.zoo-code/settings/mcp_settings.json": file("mcpServers", "k"),
  });
  const found = (await find()).map(({ file: { client }, names, target }) =>
    [client, ...names, path.relative(root, target)].join(" "),
  );
  assert.deepEqual(found, [
    "VS Code a one/.vscode/winnow.json",
    "Claude Code b one/.vscode/winnow.json",
    "Cursor c one/.vscode/winnow.json",
    "Roo Code d one/.vscode/winnow.json",
    "Zoo Code e one/.vscode/winnow.json",
    "Claude Code f two/.vscode/winnow.json",
    "VS Code g config/winnow/winnow.json",
    "Claude Code h config/winnow/winnow.json",
    "Cursor i config/winnow/winnow.json",
    "Roo Code j config/winnow/winnow.json",
    "Zoo Code k config/winnow/winnow.json",
  ]);
});

test("a file that is not there, is broken or has no server is none", async (t) => {
  const { find } = await machine(t, {
    "one/.mcp.json": "{ broken",
    "one/.cursor/mcp.json": '{ "mcpServers": {} }',
    "home/.claude.json": '{ "projects": {} }',
  });
  assert.deepEqual(await find(), []);
});

test("Claude Code's servers are moved out of the user's file, and all else of it stays", async (t) => {
  const text = `{
  "numStartups": 7,
  "mcpServers": { "a": { "type": "stdio", "command": "a", "timeout": 30000 } },
  "projects": { "/work": { "allowedTools": [] } }
}
`;
  const { at, find } = await machine(t, { "home/.claude.json": text });
  const [found] = await find();
  assert.ok(found !== undefined);
  const plan = planImport(found.file, found.names, found, { path: found.target, text: undefined });
  const moves = new Moves(at("config/winnow"));
  const made = await moves.make(plan, new Date(0));
  assert.deepEqual(JSON.parse(await readFile(at("home/.claude.json"), "utf8")), {
    numStartups: 7,
    mcpServers: {},
    projects: { "/work": { allowedTools: [] } },
  });
  assert.deepEqual(JSON.parse(await readFile(at("config/winnow/winnow.json"), "utf8")), {
    servers: { a: { type: "stdio", command: "a", timeout: 30 } },
  });
  await moves.undo(made);
  assert.equal(await readFile(at("home/.claude.json"), "utf8"), text);
});

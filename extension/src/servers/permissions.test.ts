import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { createPrivate, restrict } from "./permissions";

test("what was only the user's to read stays so", { skip: process.platform === "win32" }, async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-permissions-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const at = (name: string) => path.join(dir, name);
  const mode = async (name: string) => ((await stat(at(name))).mode & 0o777).toString(8);
  for (const [name, bits] of Object.entries({ secret: 0o600, open: 0o664, there: 0o644 })) {
    await writeFile(at(name), "{}");
    await chmod(at(name), bits); // whatever the umask
  }
  await restrict(at("there"), at("open"));
  assert.equal(await mode("there"), "644");
  await restrict(at("there"), at("secret"));
  assert.deepEqual([await mode("there"), await mode("secret")], ["600", "600"]);
  await restrict(at("none"), at("secret"));
  await createPrivate(at("deep/new"), "text");
  assert.deepEqual([await mode("deep/new"), await readFile(at("deep/new"), "utf8")], ["600", "text"]);
  await assert.rejects(createPrivate(at("deep/new"), "other"), /EEXIST/);
});

// How Chromium is found and installed, with a PATH of our own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";

/** Runs chromium() in a process of its own, which prints what it returns or the error's words. */
function chromium(uid: number, PATH: string, env: Record<string, string> = {}) {
  const program = `
    process.getuid = () => ${uid};
    const { chromium } = await import("./extension/test/host/chromium.mjs");
    console.log(await chromium().catch((err) => err.constructor.name + ": " + err.message));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    env: { PATH, ...env },
    encoding: "utf8",
  });
  return { said: stdout.trim(), stderr };
}

/** A folder for a PATH, with programs in the shell's language. */
async function bin(t: TestContext, programs: Record<string, string>): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-chromium-"));
  t.after(() => rm(dir, { recursive: true }));
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(path.join(dir, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  return dir;
}

/** Stands for env, by which apt-get is started: writes down what it was asked, and installs. */
const apt = (installs: string) => `echo "$@" >> "\${0%/*}/asked"
case "$*" in *install*) ${installs} ;; esac`;

/** Makes a Chromium beside itself. */
const success = 'printf "#!/bin/sh\\n" > "\${0%/*}/chromium"; /bin/chmod +x "\${0%/*}/chromium"';

test("the one in the PATH is taken, and WINNOW_CHROMIUM comes before it", async (t) => {
  const dir = await bin(t, { "chromium-browser": "", mine: "" });
  assert.equal(chromium(1000, dir).said, path.join(dir, "chromium-browser"));
  const mine = path.join(dir, "mine");
  assert.equal(chromium(1000, dir, { WINNOW_CHROMIUM: mine }).said, mine);
  const wrong = chromium(1000, dir, { WINNOW_CHROMIUM: `${mine}x` }).said;
  assert.match(wrong, /^RunError: WINNOW_CHROMIUM names .*minex, which is no program\./);
});

test("without it, and without the right to install it, the command is named", async (t) => {
  const refuses = await bin(t, { sudo: "echo a password is required >&2; exit 1" });
  for (const PATH of ["", refuses]) {
    const { said } = chromium(1000, PATH);
    assert.match(said, /^RunError: the UI tests need Chromium\. Install it: sudo apt-get install -y .*chromium/);
    assert.match(said, /or set WINNOW_CHROMIUM/);
  }
});

test("root, and whom sudo asks for no password, get it by apt", async (t) => {
  for (const uid of [0, 1000]) {
    const dir = await bin(t, { env: apt(success), sudo: 'shift; exec "$@"' });
    if (uid !== 0) await writeFile(path.join(dir, "true"), "#!/bin/sh\n", { mode: 0o755 });
    const { said, stderr } = chromium(uid, dir);
    assert.equal(said, path.join(dir, "chromium"), stderr);
    const asked = (await readFile(path.join(dir, "asked"), "utf8")).trim().split("\n");
    assert.equal(asked.length, 2);
    assert.match(asked[0] ?? "", /DEBIAN_FRONTEND=noninteractive apt-get .*update$/);
    assert.match(asked[1] ?? "", /apt-get .*install -y --no-install-recommends chromium fonts-dejavu-core$/);
  }
});

test("when apt fails, the command is named all the same, with the reason", async (t) => {
  const dir = await bin(t, { env: apt("exit 100") });
  assert.match(chromium(0, dir).said, /Install it: sudo apt-get install[\s\S]*exit code 100/);
});

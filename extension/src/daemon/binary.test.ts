import assert from "node:assert/strict";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { findBinary, startError } from "./binary";
import { DaemonError } from "./errors";

async function folder(t: test.TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-binary-"));
  t.after(() => rm(dir, { recursive: true }));
  return dir;
}

test("the setting wins over the bundled daemon", async (t) => {
  const dir = await folder(t);
  await mkdir(path.join(dir, "extension", "bin"), { recursive: true });
  const bundled = path.join(dir, "extension", "bin", "winnowd");
  const own = path.join(dir, "own");
  for (const file of [bundled, own]) await writeFile(file, "#!/bin/sh\n", { mode: 0o755 });
  assert.equal(await findBinary({ setting: "", extensionPath: dir, platform: "linux" }), bundled);
  assert.equal(await findBinary({ setting: own, extensionPath: dir, platform: "linux" }), own);
});

test("what cannot be started says what to do", async (t) => {
  const dir = await folder(t);
  const options = { extensionPath: dir, platform: "linux" as const, arch: "arm64" };
  const cases: [string, RegExp][] = [
    ["", /no daemon for linux-arm64 .* Install the extension for this platform/],
    ["bin/winnowd", /"bin\/winnowd", which is not an absolute path\. Correct the setting winnow\.daemon\.path/],
    [path.join(dir, "none"), /not a file\. Correct the setting/],
    [dir, /not a file\. Correct the setting/],
  ];
  for (const [setting, text] of cases) {
    await assert.rejects(
      findBinary({ ...options, setting }),
      (err) => err instanceof DaemonError && text.test(err.text),
    );
  }
});

test("a program of another machine is refused before it is started", async (t) => {
  const dir = await folder(t);
  const elf = (machine: number) => {
    const header = Buffer.alloc(64);
    header.write("\x7fELF", "latin1");
    header.writeUInt16LE(machine, 18);
    return header;
  };
  const cases: [string, Buffer, string, boolean][] = [
    ["x64 on x64", elf(62), "x64", true],
    ["arm64 on x64", elf(183), "x64", false],
    ["x64 on arm64", elf(62), "arm64", false],
    ["a program for macOS", Buffer.from("cffaedfe0c000001", "hex"), "arm64", false],
    ["an empty file", Buffer.alloc(0), "x64", false],
    ["any on a machine that we do not know", elf(243), "riscv64", true],
  ];
  for (const [name, content, arch, runs] of cases) {
    const file = path.join(dir, name);
    await writeFile(file, content, { mode: 0o755 });
    const found = findBinary({ setting: file, extensionPath: dir, platform: "linux", arch });
    if (runs) assert.equal(await found, file);
    else await assert.rejects(found, /not a program for this machine \(linux-/, name);
  }
});

test("why a file cannot be started is told, with what to do", () => {
  const text = (code: string) => startError("/x/winnowd", Object.assign(new Error("spawn failed"), { code })).text;
  assert.match(text("ENOEXEC"), /not a program for this machine/);
  assert.match(text("EACCES"), /may not be executed\. Allow it to run \(chmod \+x/);
  assert.match(text("ENOMEM"), /could not be started: spawn failed/);
});

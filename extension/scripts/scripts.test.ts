// Tests of the scripts that npm runs, as npm runs them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import test from "node:test";

function npmTest(...args: string[]) {
  return spawnSync(process.execPath, ["extension/scripts/test.mjs", ...args], { encoding: "utf8" });
}

test("npm test -- --list names the steps", () => {
  const { status, stdout } = npmTest("--list");
  const names = stdout.trim().split("\n");
  assert.equal(status, 0);
  for (const name of ["gofmt", "go-test", "tsc", "eslint", "npm-start", "fuzz (nightly)"])
    assert.ok(names.includes(name));
});

test("a step that does not exist is named, with those that do", () => {
  const { status, stderr } = npmTest("tsk", "--al");
  assert.equal(status, 2);
  assert.match(stderr, /unknown: tsk, --al\. Steps: .*tsc/);
});

test("the last line counts the steps", () => {
  const { status, stdout } = npmTest("npm-ci");
  assert.equal(status, 0);
  assert.match(stdout, /\nok {4}npm-ci +\d+\.\d s\n\n1 passed, 0 failed\n$/);
});

test("a step that fails is summed up and fails the whole", () => {
  // Without a PATH there is no gofmt.
  const { status, stdout } = spawnSync(process.execPath, ["extension/scripts/test.mjs", "gofmt"], {
    encoding: "utf8",
    env: { PATH: "" },
  });
  assert.equal(status, 1);
  assert.match(stdout, /start gofmt: .*ENOENT/);
  assert.match(stdout, /\nFAIL {2}gofmt .*\n\n1 passed, 1 failed\n$/);
});

test("what runs in the background has the lowest priority, and its output is kept", () => {
  const program = "process.stdout.write(String(os.getPriority())); process.exit(3)";
  const code = `
    import { inBackground, run } from "./extension/scripts/run.mjs";
    const written = [];
    await inBackground(written, () => run(process.execPath, ["-e", ${JSON.stringify(program)}])).catch((err) => written.push(err.message));
    console.log(JSON.stringify(written));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  const [priority, failure] = JSON.parse(stdout) as string[];
  assert.equal(priority, "19");
  assert.match(failure ?? "", /exit code 3$/);
});

test("the editor's steps are skipped, and counted, where code-server does not run", () => {
  const elsewhere = "data:text/javascript,Object.defineProperty(process, 'arch', { value: 'riscv64' })";
  const { status, stdout } = spawnSync(
    process.execPath,
    ["--import", elsewhere, "extension/scripts/test.mjs", "exthost", "ui"],
    { encoding: "utf8" },
  );
  assert.equal(status, 0);
  assert.match(stdout, /runs on Linux x64 only, this is \w+ riscv64\nskip {2}exthost/);
  assert.match(stdout, /\n1 passed, 0 failed, 2 skipped\n$/);
});

test("the VSIX of this machine is Alpine's where there is no glibc", () => {
  const target = (...header: [] | [string]) => {
    const report = `process.report.getReport = () => ({ header: { ${header.join("")} } });`;
    const code = `${report} console.log((await import("./extension/scripts/package.mjs")).hostTarget)`;
    return spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" }).stdout.trim();
  };
  const here = `${process.platform}-${process.arch}`;
  assert.equal(target('glibcVersionRuntime: "2.39"'), here);
  assert.equal(target(), here.replace(/^linux/, "alpine"));
});

test("every setting and command that the pages name exists", async () => {
  const { contributes } = JSON.parse(await readFile("package.json", "utf8")) as {
    contributes: {
      commands: { title: string; category?: string }[];
      configuration: { properties: Record<string, unknown> } | { properties: Record<string, unknown> }[];
    };
  };
  const settings = [contributes.configuration].flat().flatMap(({ properties }) => Object.keys(properties));
  const commands = contributes.commands.map(({ title, category }) => `${category ?? ""}: ${title}`);
  for (const name of ["../../README.md", ...(await readdir("extension/docs"))]) {
    const text = (await readFile(path.join("extension/docs", name), "utf8")).replaceAll(/\s+/g, " ");
    const named = [...text.matchAll(/`(winnow\.[a-zA-Z.]+)(?=[`:])/g)].map((match) => match[1] ?? "");
    const unknown = named.filter((one) => !settings.some((key) => key === one || key.startsWith(`${one}.`)));
    assert.deepEqual(
      unknown.filter((one) => !one.endsWith(".json")),
      [],
      name,
    );
    const asked = [...text.matchAll(/[_*](Winnow: [^_*]+)[_*]/g)].map((match) => match[1] ?? "");
    assert.deepEqual(
      asked.filter((one) => !commands.includes(one)),
      [],
      name,
    );
  }
});

test("every file that README.md and the pages link to exists", async () => {
  const pages = (await readdir("extension/docs")).map((name) => `extension/docs/${name}`);
  for (const page of ["README.md", ".github/ARCHITECTURE.md", ".github/CONTRIBUTING.md", ...pages]) {
    const text = await readFile(page, "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
    assert.deepEqual(
      links.filter((link) => !existsSync(path.join(path.dirname(page), link))),
      [],
      page,
    );
  }
});

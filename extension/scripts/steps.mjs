// The steps of npm test. Each is a name and what to run; a step that throws has
// failed.
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { buildDaemon, buildExtension } from "./build.mjs";
import { installDependencies } from "./dependencies.mjs";
import { RunError, Skipped, capture, root, run } from "./run.mjs";

// Pinned: a new linter is a commit of its own, not a surprise.
const golangciLint = "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0";
const actionlint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const staticcheck = "honnef.co/go/tools/cmd/staticcheck@v0.8.2";

/** The folders with Go code. */
const goFolders = ["daemon", "protocol", "ranker", "router"];

/** The gateway of a team; go-test has them too. */
const teamPackages = ["./daemon/cmd/winnowteam", "./daemon/team/..."];

/**
 * How often each fuzz target runs. Not for how long: before Go 1.27 a run that
 * its time ends may be called a failure, "context deadline exceeded"
 * (golang/go#75804). A change should not fail in CI over an input that it has
 * nothing to do with: what was found once is a test of go-test, and to look for new
 * ones is a run of its own, each night and before a release.
 */
const fuzzRuns = 100_000;

/** Targets that rank or name a whole catalogue each time, sign a token, or ask a server. */
const slowFuzzRuns = new Map([
  ["FuzzBadBytes", 500],
  ["FuzzHandles", 5_000],
  ["FuzzLoadQuery", 1_000],
  ["FuzzNames", 5_000],
  ["FuzzPages", 10_000],
  ["FuzzRank", 1_000],
  ["FuzzVerify", 20_000],
]);

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {boolean} [always] runs also when only others are asked for
 * @property {boolean} [nightly] runs once a night, by --nightly, or by name: no change breaks it that breaks nothing else
 * @property {boolean} [named] runs only when asked for by name: others do the same, and more
 * @property {boolean} [beside] starts nothing that waits for a time, and writes nothing that another step reads: where
 *   all steps run, it runs beside them in the background
 * @property {() => Promise<void>} run
 */

/** @type {Step[]} */
export const steps = [
  { name: "npm-ci", always: true, run: installDependencies },
  { name: "quick", named: true, run: quick },
  { name: "gofmt", beside: true, run: gofmt },
  { name: "go-vet", beside: true, run: () => run("go", ["vet", "./..."]) },
  { name: "staticcheck", beside: true, run: () => run("go", ["run", staticcheck, "./..."]) },
  {
    name: "golangci-lint",
    beside: true,
    run: () => run("go", ["run", golangciLint, "run", "--allow-parallel-runners", "./..."]),
  },
  { name: "actionlint", beside: true, run: () => run("go", ["run", actionlint]) },
  { name: "cross-compile", beside: true, run: crossCompile },
  { name: "tsc", beside: true, run: typeCheck },
  {
    name: "prettier",
    beside: true,
    run: () => node("node_modules/prettier/bin/prettier.cjs", "--check", "extension", "eslint.config.mjs"),
  },
  { name: "eslint", beside: true, run: () => node("node_modules/eslint/bin/eslint.js", ".") },
  { name: "ts-test", run: typeScriptTests },
  // The tag makes jsonrpc2 overwrite a request once its handler has returned: who keeps one fails.
  { name: "go-test", run: () => run("go", ["test", "-race", "-timeout=15m", "-tags=jsonrpc2poison", "./..."]) },
  { name: "go-test-arm64", beside: true, run: emulatedTests },
  { name: "team", named: true, run: () => run("go", ["test", "-count=1", ...teamPackages]) },
  // Figures of load, of some minutes; the table is out/team-load.txt too.
  {
    name: "team-load",
    nightly: true,
    run: () =>
      run("go", ["test", "-count=1", "-v", "-timeout=20m", "-run=_load$", "./daemon/cmd/winnowteam"], {
        env: { WINNOWTEAM_LOAD: "20s" },
      }),
  },
  { name: "clients", run: () => testModule("daemon/faces/gateway/clienttest") },
  { name: "npm-start", run: endToEndTests },
  {
    name: "agents",
    async run() {
      await agentTests(["gateway", "defaults", "proxy", "replay"]);
      const { installAgents } = await import("../test/agents/install.mjs");
      await run("go", ["test", "-count=1", "-run=_codex$", "./daemon/cmd/winnowteam"], {
        env: { WINNOW_AGENTS_MODULES: await installAgents() },
      });
    },
  },
  { name: "exthost", run: async () => (await import("./editor.mjs")).extensionHostTests() },
  { name: "ui", run: async () => (await import("./editor.mjs")).uiTests() },
  // A hundred programs that come and go, of ten minutes.
  {
    name: "clients-load",
    nightly: true,
    run: () =>
      run("go", [
        ...["test", "-count=1", "-v", "-timeout=30m", "-run=^TestProcesses_comeAndGo$"],
        ...["./daemon", "-come-and-go=10m"],
      ]),
  },
  // All agents' own terminal screens; agents has those that ask most, and Codex as it is connected.
  {
    name: "screens",
    nightly: true,
    run: async () => {
      await agentTests(["defaults"], ["--test-name-pattern=own screens"], "all");
    },
  },
  // An SQL database is compiled.
  { name: "peers", nightly: true, run: () => testModule("ranker/eval/peers") },
  { name: "fuzz", nightly: true, run: fuzz },
];

/**
 * Runs one of our dependencies' programs.
 *
 * @param {...string} args
 */
function node(...args) {
  return run(process.execPath, args);
}

/**
 * What finds most mistakes in a minute: formatting, types, and the tests of what
 * decides. It starts no editor, and no MCP server from npm.
 */
async function quick() {
  await gofmt();
  await run("go", ["vet", "./..."]);
  await run("go", [
    "test",
    "-skip=^TestReal$",
    "./protocol/...",
    "./router/...",
    "./ranker",
    "./ranker/internal/...",
    "./ranker/bank",
    "./daemon/config/...",
    "./daemon/display",
    "./daemon/engine/...",
    "./daemon/faces/...",

    "./daemon/results",
    "./daemon/rpc",
    "./daemon/trust/...",
  ]);
  await typeCheck();
}

async function gofmt() {
  const unformatted = await capture("gofmt", ["-l", ...goFolders]);
  if (unformatted !== "") throw new RunError(`not formatted; run: gofmt -w ${goFolders.join(" ")}\n${unformatted}`);
}

/** What we ship must build and vet elsewhere too; its tests run here only. */
async function crossCompile() {
  for (const target of [
    { GOOS: "windows", GOARCH: "amd64" },
    { GOOS: "darwin", GOARCH: "arm64" },
  ]) {
    await run("go", ["vet", "./daemon/..."], { env: { ...target, CGO_ENABLED: "0" } });
  }
}

/**
 * Ranking and routing must give the same bytes on every architecture: their
 * tests hold the goldens of this one against an emulated arm64.
 */
async function emulatedTests() {
  if (process.platform !== "linux" || process.arch !== "x64") throw new Skipped("emulates arm64 on Linux x64 only");
  const emulator = "qemu-aarch64-static";
  if (!isOnPath(emulator)) throw new Skipped(`no ${emulator}; on Debian: apt install qemu-user-static`);
  await run(
    "go",
    [
      "test",
      "-timeout=30m",
      `-exec=${emulator}`,
      "./ranker",
      "./ranker/static",
      "./ranker/bank",
      "./ranker/signals",
      "./router/...",
    ],
    {
      env: { GOARCH: "arm64", CGO_ENABLED: "0" },
    },
  );
}

/**
 * Whether a program can be started by its name.
 *
 * @param {string} name
 */
function isOnPath(name) {
  return (process.env["PATH"] ?? "").split(path.delimiter).some((dir) => existsSync(path.join(dir, name)));
}

/** Webviews run in a browser: they know the DOM, and nothing of Node. */
async function typeCheck() {
  const tsc = "node_modules/typescript/bin/tsc";
  await node(tsc);
  await node(tsc, "-p", "extension/src/views/context/webview");
}

/**
 * Vets and tests a Go module of its own.
 *
 * @param {string} folder
 */
async function testModule(folder) {
  const cwd = path.join(root, folder);
  await run("go", ["vet", "./..."], { cwd });
  await run("go", ["test", "-race", "-timeout=15m", "./..."], { cwd });
}

async function typeScriptTests() {
  await testBundles((file) => !isEndToEnd(file));
}

/** They start what is built here; npm start and the VSIX's test build too, so one goes after the other. */
async function endToEndTests() {
  await buildDaemon();
  await buildExtension();
  await testBundles(isEndToEnd, "--test-concurrency=1");
}

/**
 * The agents of the npm registry through what is built here, before a scripted model.
 *
 * @param {string[]} names of suites
 * @param {string[]} [more] flags of node's test runner
 * @param {string} [screens] "all" for each agent's own screen
 */
async function agentTests(names, more = [], screens = "") {
  const { installAgents } = await import("../test/agents/install.mjs");
  const env = { WINNOW_AGENTS_MODULES: await installAgents(), WINNOW_SCREENS: screens };
  await buildDaemon();
  const { bundle } = await import("./bundle.mjs");
  const suites = names.map((name) => `test/agents/${name}.agents`);
  await bundle(
    suites.map((suite) => `extension/${suite}.ts`),
    "out",
  );
  const flags = ["--enable-source-maps", "--test", "--test-concurrency=1", "--test-reporter=spec", ...more];
  await run(process.execPath, [...flags, ...suites.map((suite) => `out/${suite}.mjs`)], { env });
}

/**
 * Tests named *.e2e.test.ts start what a user starts and take their time.
 *
 * @param {string} file
 */
function isEndToEnd(file) {
  return file.includes(".e2e.");
}

/**
 * @param {(file: string) => boolean} chosen
 * @param {...string} flags
 */
async function testBundles(chosen, ...flags) {
  const { bundleTests } = await import("./bundle.mjs");
  const bundles = (await bundleTests()).filter(chosen);
  await node("--enable-source-maps", "--test", "--test-reporter=spec", ...flags, ...bundles);
}

/**
 * Runs every fuzz target of the module beyond its kept corpus: one
 * worker for each, and as many targets at a time as there are processors.
 */
async function fuzz() {
  const targets = await fuzzTargets();
  const queue = targets.values();
  /** @type {string[]} */
  const failed = [];
  const drain = async () => {
    for (const { pkg, name } of queue) {
      const runs = slowFuzzRuns.get(name) ?? fuzzRuns;
      const args = ["test", "-run=^$", `-fuzz=^${name}$`, `-fuzztime=${runs}x`, "-parallel=1", pkg];
      await capture("go", args).catch((/** @type {unknown} */ err) => failed.push(String(err)));
      console.log(`${pkg} ${name}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, drain));
  console.log(`${targets.length} fuzz targets, ${failed.length} failed`);
  if (failed.length > 0) throw new RunError(failed.join("\n"));
}

/** Asks the test binaries for their fuzz targets. */
async function fuzzTargets() {
  const targets = [];
  for (const pkg of (await capture("go", ["list", "./..."])).trim().split("\n")) {
    const listed = await capture("go", ["test", "-list=^Fuzz", pkg]);
    for (const name of listed.split("\n").filter((line) => line.startsWith("Fuzz"))) targets.push({ pkg, name });
  }
  return targets;
}

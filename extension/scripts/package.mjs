// npm run package -- --target linux-x64: one VSIX with the daemon of that
// platform, in out/. Several --target, or `--target all`. The same commit gives
// the same bytes.
import { cp, mkdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { buildExtension, compileDaemon } from "./build.mjs";
import { installDependencies } from "./dependencies.mjs";
import { RunError, capture, root } from "./run.mjs";

/**
 * VS Code's names of platforms, and Go's. A daemon without cgo runs on Alpine
 * too.
 *
 * @type {Record<string, { GOOS: string, GOARCH: string }>}
 */
export const targets = {
  "linux-x64": { GOOS: "linux", GOARCH: "amd64" },
  "linux-arm64": { GOOS: "linux", GOARCH: "arm64" },
  "alpine-x64": { GOOS: "linux", GOARCH: "amd64" },
  "alpine-arm64": { GOOS: "linux", GOARCH: "arm64" },
  "darwin-x64": { GOOS: "darwin", GOARCH: "amd64" },
  "darwin-arm64": { GOOS: "darwin", GOARCH: "arm64" },
  "win32-x64": { GOOS: "windows", GOARCH: "amd64" },
  "win32-arm64": { GOOS: "windows", GOARCH: "arm64" },
};

/** The target of this machine. VS Code calls Linux without glibc Alpine, and takes no other VSIX there. */
export const hostTarget = `${hasMusl() ? "alpine" : process.platform}-${process.arch}`;

/** Whether this is a Linux whose C library is musl: Node names the version of glibc only where it runs on that. */
function hasMusl() {
  if (process.platform !== "linux") return false;
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return report.header.glibcVersionRuntime === undefined;
}

/**
 * Makes the VSIX of each target and returns their files. The bundle is built
 * once.
 *
 * @param {string[]} names
 * @returns {Promise<string[]>}
 */
export async function packageTargets(names) {
  await buildExtension();
  const files = [];
  for (const name of names) files.push(await packageTarget(name));
  return files;
}

/**
 * Makes the VSIX of one target from a folder of its own, so that nothing else
 * of the checkout can get in.
 *
 * @param {string} name
 */
async function packageTarget(name) {
  const target = targets[name];
  if (target === undefined)
    throw new RunError(`no target "${name}"; there are: ${Object.keys(targets).join(", ")}, all`);
  const manifest = await readFile(path.join(root, "package.json"), "utf8");
  const { version, files } = /** @type {{ version: string, files: string[] }} */ (JSON.parse(manifest));
  const stage = path.join(root, "out", "package", name);
  await rm(stage, { recursive: true, force: true });
  for (const part of ["package.json", ...files.filter((file) => file !== "extension/bin")]) {
    await cp(path.join(root, part), path.join(stage, part), { recursive: true });
  }
  const program = target.GOOS === "windows" ? "winnowd.exe" : "winnowd";
  await compileDaemon(path.join(stage, "extension", "bin", program), { ...target, CGO_ENABLED: "0" });

  const vsix = path.join(root, "out", `winnow-${name}-${version}.vsix`);
  const vsce = path.join(root, "node_modules", "@vscode", "vsce", "vsce");
  const args = [vsce, "package", "--no-dependencies", "--target", name, "--out", vsix];
  await capture(process.execPath, args, { cwd: stage, env: { SOURCE_DATE_EPOCH: await sourceDate() } });
  return vsix;
}

/** The time of the commit in seconds, for the times in the archive; that of the release where there is no git. */
export async function sourceDate() {
  const time = await capture("git", ["log", "-1", "--format=%ct"]).catch(() => "");
  return time.trim() || String((await stat(path.join(root, "package.json"))).mtimeMs / 1000);
}

/** @param {string[]} args */
function chosen(args) {
  const names = [];
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i + 1];
    if (args[i] !== "--target" || name === undefined) {
      throw new RunError(`usage: npm run package -- [--target ${Object.keys(targets).join("|")}|all]…`);
    }
    names.push(...(name === "all" ? Object.keys(targets) : [name]));
  }
  return names.length === 0 ? [hostTarget] : names;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    const names = chosen(process.argv.slice(2));
    await installDependencies();
    await mkdir(path.join(root, "out"), { recursive: true });
    for (const file of await packageTargets(names)) console.log(path.relative(root, file));
  } catch (err) {
    if (!(err instanceof RunError)) throw err;
    console.error(`npm run package: ${err.message}`);
    process.exitCode = 1;
  }
}

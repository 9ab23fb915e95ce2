// npm run build: the daemon into extension/bin, the extension into
// extension/dist.
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { notices } from "./notices.mjs";
import { root, run } from "./run.mjs";

/** Where the daemon is built to. */
export const daemon = path.join(root, "extension", "bin", process.platform === "win32" ? "winnowd.exe" : "winnowd");

/**
 * Builds the daemon for this machine.
 *
 * @param {{ stdoutToStderr?: boolean }} [options]
 */
export function buildDaemon(options = {}) {
  return compileDaemon(daemon, {}, options);
}

/**
 * Compiles the daemon, with a version in it, the manifest's by default, and
 * nothing of this machine.
 *
 * @param {string} file
 * @param {Record<string, string>} env such as GOOS
 * @param {{ stdoutToStderr?: boolean, version?: string }} [options]
 */
export async function compileDaemon(file, env, options = {}) {
  const manifest = await readFile(path.join(root, "package.json"), "utf8");
  const { version } = { .../** @type {{ version: string }} */ (JSON.parse(manifest)), ...options };
  const flags = ["-trimpath", "-buildvcs=false", `-ldflags=-s -w -X main.version=${version}`];
  await run("go", ["build", ...flags, "-o", file, "./daemon/cmd/winnowd"], { ...options, env });
}

/** Bundles the extension and its webviews. Needs the dependencies. */
export async function buildExtension() {
  const { bundleExtension, bundleWebviews } = await import("./bundle.mjs");
  const dist = path.join(root, "extension", "dist");
  await rm(dist, { recursive: true, force: true });
  const inputs = [...(await bundleExtension()), ...(await bundleWebviews())];
  await writeFile(path.join(dist, "THIRD_PARTY_NOTICES.txt"), await notices(inputs));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { installDependencies } = await import("./dependencies.mjs");
  await installDependencies();
  await buildDaemon();
  await buildExtension();
}

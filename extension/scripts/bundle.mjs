// Bundles TypeScript with esbuild. Import it only when the dependencies are
// installed.
import { build } from "esbuild";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { root } from "./run.mjs";

/**
 * Bundles programs for Node into a folder: demo/main.ts becomes demo/main.mjs.
 *
 * @param {string[]} entryPoints files, from the root
 * @param {string} outdir from the root
 */
export async function bundle(entryPoints, outdir) {
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    outbase: "extension",
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    sourcemap: "inline",
    // vscode-jsonrpc is CommonJS and asks for Node's modules by require.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "warning",
  });
}

/**
 * Bundles every TypeScript test of the extension and returns the bundles.
 *
 * @returns {Promise<string[]>}
 */
export async function bundleTests() {
  const files = await readdir(path.join(root, "extension"), { recursive: true });
  const tests = files.filter((file) => file.endsWith(".test.ts")).sort();
  await bundle(
    tests.map((file) => path.join("extension", file)),
    "out/test",
  );
  return tests.map((file) => path.join("out/test", file.replace(/\.ts$/, ".mjs")));
}

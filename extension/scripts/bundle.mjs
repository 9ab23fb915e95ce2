// Bundles TypeScript with esbuild. Import it only when the dependencies are
// installed.
import { build } from "esbuild";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { root } from "./run.mjs";

/** jsonc-parser's main is of a kind that no bundler can follow; its module is plain. */
const mainFields = ["module", "main"];

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
    mainFields,
    target: "node20",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    external: ["playwright-core"], // looks for its own files beside itself
    sourcemap: "inline",
    // CommonJS packages ask for Node's modules by require.
    banner: {
      js: `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);`,
    },
    logLevel: "warning",
  });
}

/**
 * Bundles code for VS Code's extension host, which gives it the module vscode:
 * a/b.ts becomes outdir/b.js. Mocha stays outside: suites and runner share it.
 *
 * @param {string[]} entryPoints files of one folder, from the root
 * @param {string} outdir from the root
 */
export async function bundleForVSCode(entryPoints, outdir) {
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    bundle: true,
    platform: "node",
    mainFields,
    target: "node22",
    format: "cjs",
    external: ["vscode", "mocha"],
    sourcemap: "inline",
    logLevel: "warning",
  });
}

/**
 * Bundles the extension as VS Code loads it: small, and without anything of the
 * build machine in it, so that the same source gives the same bytes.
 *
 * @returns {Promise<string[]>} the files that went into it, from the root
 */
export async function bundleExtension() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { extension: "extension/src/extension.ts", uninstall: "extension/src/servers/uninstall.ts" },
    outdir: "extension/dist",
    bundle: true,
    platform: "node",
    mainFields,
    target: "node22",
    format: "cjs",
    external: ["vscode"],
    minify: true,
    legalComments: "none", // THIRD_PARTY_NOTICES.txt has them
    metafile: true,
    logLevel: "warning",
  });
  return Object.keys(metafile.inputs);
}

/**
 * Bundles the pages of the extension's webviews, for the browser in which VS
 * Code shows them.
 *
 * @returns {Promise<string[]>} the files that went into them, from the root
 */
export async function bundleWebviews() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { pages: "extension/src/views/context/webview/main.ts" },
    outdir: "extension/dist",
    bundle: true,
    platform: "browser",
    target: "es2023",
    format: "esm",
    minify: true,
    legalComments: "none", // THIRD_PARTY_NOTICES.txt has them
    metafile: true,
    logLevel: "warning",
  });
  return Object.keys(metafile.inputs);
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

// Makes what a test in the real VS Code needs: the host, Chromium, the VSIX of
// Winnow and that of the scripted model.
import { cp, mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { buildDaemon } from "../../scripts/build.mjs";
import { bundleForVSCode } from "../../scripts/bundle.mjs";
import { capture, root } from "../../scripts/run.mjs";
import { chromium } from "./chromium.mjs";
import { installHost } from "./install.mjs";

/**
 * What there is to start, as absolute paths. It goes to the tests' processes as
 * JSON in the environment variable WINNOW_PREPARED.
 *
 * @typedef {object} Prepared
 * @property {import("./install.mjs").Host} host
 * @property {string} chromium
 * @property {string} vsix of Winnow, for this machine
 * @property {string} model the scripted model's folder
 * @property {string} modelVsix the scripted model, packaged
 */

/** @returns {Promise<Prepared>} */
export async function prepare() {
  const host = await installHost();
  const browser = await chromium();
  const model = await scriptedModel();
  const modelVsix = path.join(root, "out", "scripted-model.vsix");
  await pack(model, modelVsix);
  return { host, chromium: browser, vsix: await winnow(), model, modelVsix };
}

/** Builds the scripted model and returns its folder. */
async function scriptedModel() {
  const dir = path.join(root, "out", "scripted-model");
  await mkdir(dir, { recursive: true });
  await cp(path.join(root, "extension", "test", "scripted-model", "package.json"), path.join(dir, "package.json"));
  await bundleForVSCode(["extension/test/scripted-model/extension.ts"], "out/scripted-model");
  return dir;
}

/** Builds Winnow and returns its VSIX; or returns the one that WINNOW_VSIX names. */
async function winnow() {
  const named = process.env["WINNOW_VSIX"];
  if (named !== undefined && named !== "") return path.resolve(root, named);
  await buildDaemon();
  const manifest = await readFile(path.join(root, "package.json"), "utf8");
  const { files } = /** @type {{ files: string[] }} */ (JSON.parse(manifest));
  const dir = path.join(root, "out", "winnow");
  await rm(dir, { recursive: true, force: true });
  for (const file of ["package.json", ...files]) {
    await cp(path.join(root, file), path.join(dir, file), { recursive: true }).catch(() => undefined);
  }
  const vsix = path.join(root, "out", "winnow.vsix");
  await pack(dir, vsix);
  return vsix;
}

/**
 * Packages a folder as it is.
 *
 * @param {string} dir
 * @param {string} vsix
 */
async function pack(dir, vsix) {
  const vsce = path.join(root, "node_modules", "@vscode", "vsce", "vsce");
  const lenient = ["--allow-missing-repository", "--skip-license", "--allow-unused-files-pattern"];
  await capture(process.execPath, [vsce, "package", "--no-dependencies", ...lenient, "--out", vsix], { cwd: dir });
}

// Makes what a test in the real VS Code needs: the host, Chromium, the VSIX of
// Winnow and that of the scripted model.
import { cp, mkdir } from "node:fs/promises";
import path from "node:path";
import { bundleForVSCode } from "../../scripts/bundle.mjs";
import { hostTarget, packageTargets } from "../../scripts/package.mjs";
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
  const modelVsix = await packModel();
  return { host, chromium: browser, vsix: await winnow(), model: await scriptedModel(), modelVsix };
}

/** Packages the scripted model and returns the VSIX. */
export async function packModel() {
  const vsix = path.join(root, "out", "scripted-model.vsix");
  await pack(await scriptedModel(), vsix);
  return vsix;
}

/** Builds the scripted model and returns its folder. */
export async function scriptedModel() {
  const dir = path.join(root, "out", "scripted-model");
  await mkdir(dir, { recursive: true });
  await cp(path.join(root, "extension", "test", "scripted-model", "package.json"), path.join(dir, "package.json"));
  await bundleForVSCode(["extension/test/scripted-model/extension.ts"], "out/scripted-model");
  return dir;
}

/** Packages Winnow and returns the VSIX; or returns the one that WINNOW_VSIX names. */
async function winnow() {
  const named = process.env["WINNOW_VSIX"];
  if (named !== undefined && named !== "") return path.resolve(root, named);
  const [vsix] = await packageTargets([hostTarget]);
  return /** @type {string} */ (vsix);
}

/**
 * Packages a folder as it is.
 *
 * @param {string} dir
 * @param {string} vsix
 */
async function pack(dir, vsix) {
  const vsce = path.join(root, "node_modules", "@vscode", "vsce", "vsce");
  const args = [vsce, "package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "--out", vsix];
  await capture(process.execPath, args, { cwd: dir });
}

// Finds or installs the editor that npm start opens, and builds what it shows.
import { access, constants, stat } from "node:fs/promises";
import path from "node:path";
import { buildExtension } from "../scripts/build.mjs";
import { hostTarget, packageTargets } from "../scripts/package.mjs";
import { installHost, whyNoHost } from "../test/host/install.mjs";
import { packModel, scriptedModel } from "../test/host/prepare.mjs";

/**
 * The editor to open: the user's own VS Code, or code-server from npm.
 *
 * @typedef {{ kind: "code", code: string, model: string }
 *   | { kind: "server", node: string, entry: string, vsix: string[] }} Prepared
 */

/**
 * @returns {Promise<Prepared | string>} or why there is none
 */
export async function prepareEditor() {
  const code = await findCode();
  const why = code === undefined ? whyNoHost() : undefined;
  if (why !== undefined) return `there is no \`code\` command, and ${why}`;
  if (code !== undefined) {
    console.error("building the extension for VS Code");
    await buildExtension();
    return { kind: "code", code, model: await scriptedModel() };
  }
  console.error("there is no `code` command: VS Code comes from npm instead (once, 0.8 GB; Ctrl-C leaves it)");
  const { node, strict } = await installHost();
  console.error("packing the extension for it");
  return { kind: "server", node, entry: strict, vsix: [...(await packageTargets([hostTarget])), await packModel()] };
}

/**
 * Finds VS Code's command. In a terminal of a remote VS Code it is another one,
 * which cannot load an extension from a folder.
 *
 * @returns {Promise<string | undefined>}
 */
async function findCode() {
  if (process.env["VSCODE_IPC_HOOK_CLI"] !== undefined) return undefined;
  const name = process.platform === "win32" ? "code.cmd" : "code";
  for (const dir of (process.env["PATH"] ?? "").split(path.delimiter)) {
    const file = path.join(dir, name);
    if (dir !== "" && (await isProgram(file))) return file;
  }
  return undefined;
}

/**
 * Tells whether a file can be run. A folder, and a file that is none, are
 * passed over in the PATH, as a shell does.
 *
 * @param {string} file
 */
async function isProgram(file) {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) return false;
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

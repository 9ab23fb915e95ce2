// Finds Chromium, and installs it from Debian where it may.
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { RunError, capture, run } from "../../scripts/run.mjs";

/** The names that Chromium goes by. */
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** What apt installs: a browser, and one font so that pictures have letters. */
const packages = ["chromium", "fonts-dejavu-core"];

/**
 * Returns the path of Chromium: what WINNOW_CHROMIUM names, or else what is in
 * the PATH, or else Debian's, installed when we are root or sudo asks no password.
 *
 * @returns {Promise<string>}
 * @throws {RunError} naming the command to run when there is none
 */
export async function chromium() {
  const named = process.env["WINNOW_CHROMIUM"];
  if (named !== undefined && named !== "") {
    if (isProgram(named)) return named;
    throw new RunError(
      `WINNOW_CHROMIUM names ${named}, which is no program. Correct it, or unset it to search the PATH.`,
    );
  }
  return find() ?? (await install());
}

/** The first Chromium in the PATH. */
function find() {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isProgram);
}

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function install() {
  const command = ["apt-get", "install", "-y", "--no-install-recommends", ...packages];
  const missing = `the UI tests need Chromium. Install it: sudo ${command.join(" ")} (or set WINNOW_CHROMIUM to a Chromium or Chrome)`;
  const root = process.getuid?.() === 0;
  if (!root && !(await works("sudo", ["-n", "true"]))) throw new RunError(missing);
  const [program, prefix] = root ? ["env", []] : ["sudo", ["-n", "env"]];
  const apt = [...prefix, "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300"];
  console.error(`installing ${packages.join(" and ")} from Debian`);
  try {
    await run(program, [...apt, "update"], { stdoutToStderr: true });
    await run(program, [...apt, ...command.slice(1)], { stdoutToStderr: true });
  } catch (err) {
    throw new RunError(`${missing}\n${String(err)}`);
  }
  const found = find();
  if (found === undefined) throw new RunError(missing);
  return found;
}

/** @param {string} program @param {string[]} args */
async function works(program, args) {
  return capture(program, args).then(
    () => true,
    () => false,
  );
}

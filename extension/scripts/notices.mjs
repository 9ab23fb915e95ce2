// The licences of what is built into the daemon and into the extension's
// bundles. Whoever passes a VSIX on passes these on with it.
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { RunError, capture, root } from "./run.mjs";

/**
 * Something of somebody else's that we ship.
 *
 * @typedef {object} Part
 * @property {string} name with its version
 * @property {string} dir holds its licence
 */

/**
 * Returns the text of THIRD_PARTY_NOTICES.txt.
 *
 * @param {string[]} inputs the files of the bundles, from the root
 * @throws {RunError} for a part without a licence
 */
export async function notices(inputs) {
  const parts = [
    ...(await goModules()),
    ...(await npmPackages(inputs)),
    { name: "The built-in embedding model", dir: path.join(root, "ranker", "static") },
  ];
  const texts = await Promise.all(
    parts.map(async (part) => `${"=".repeat(80)}\n${part.name}\n\n${await licence(part)}`),
  );
  return `Winnow contains the following, each under the licence given with it.\n\n${texts.join("\n")}`;
}

/** @returns {Promise<Part[]>} */
async function goModules() {
  const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}";
  const listed = await capture("go", ["list", "-deps", "-f", format, "./daemon/cmd/winnowd"]);
  const lines = [...new Set(listed.split("\n").filter((line) => line !== ""))].sort();
  const modules = lines.map((line) => {
    const [name = "", dir = ""] = line.split("\t");
    return { name, dir };
  });
  const goRoot = (await capture("go", ["env", "GOROOT"])).trim();
  return [{ name: "The Go standard library", dir: goRoot }, ...modules];
}

/**
 * @param {string[]} inputs
 * @returns {Promise<Part[]>}
 */
async function npmPackages(inputs) {
  const names = inputs.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return Promise.all(
    [...new Set(names)].sort().map(async (name) => {
      const dir = path.join(root, "node_modules", name);
      const manifest = await readFile(path.join(dir, "package.json"), "utf8");
      const { version } = /** @type {{ version: string }} */ (JSON.parse(manifest));
      return { name: `${name} ${version}`, dir };
    }),
  );
}

/** @param {Part} part */
async function licence({ name, dir }) {
  const files = (await readdir(dir)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  if (files.length === 0) throw new RunError(`${name} has no licence in ${dir}`);
  const texts = await Promise.all(files.map((file) => readFile(path.join(dir, file), "utf8")));
  return `${texts.map((text) => text.trim()).join("\n\n")}\n`;
}

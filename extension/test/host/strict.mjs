// The strict copy of code-server. code-server lets every extension use every
// proposed API, so nothing that works in it is proved to work in the VS Code
// that users have; the copy asks the extension's manifest, as VS Code does.
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { RunError, run } from "../../scripts/run.mjs";

/** The two programs that decide, one in the extension host and one in the page. */
const deciders = ["workbench/api/node/extensionHostProcess.js", "code/browser/workbench/workbench.js"];

/** isProposedApiEnabled as code-server made it: yes to all. The function after it, which throws, tells it from others. */
const yesToAll =
  /function ([\w$]+)\(([\w$]+),([\w$]+)\)\{return!0\}(?=function [\w$]+\(([\w$]+),([\w$]+)\)\{if\(!\1\(\4,\5\)\)throw new Error\(`Extension '\$\{\4\.identifier\.value\}' CANNOT use API proposal)/;

/**
 * Copies node_modules/code-server to code-server-strict beside it, by hard
 * links, and makes the copy strict.
 *
 * @param {string} modules the node_modules
 * @throws {RunError} when code-server's programs are not as we know them
 */
export async function makeStrict(modules) {
  const copy = path.join(modules, "code-server-strict");
  await run("cp", ["-al", path.join(modules, "code-server"), copy]);
  for (const decider of deciders) {
    const file = path.join(copy, "lib", "vscode", "out", "vs", decider);
    const source = await readFile(file, "utf8");
    const strict = source.replace(
      yesToAll,
      "function $1($2,$3){return!!$2.enabledApiProposals&&$2.enabledApiProposals.includes($3)}",
    );
    if (strict === source) {
      throw new RunError(
        `${file}: isProposedApiEnabled is not where it was. Compare extension/test/host/strict.mjs with it.`,
      );
    }
    await rm(file); // a hard link: written in place, the original would change too
    await writeFile(file, strict);
  }
}

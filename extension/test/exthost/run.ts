// npm test -- exthost: runs the suites in the extension host of a real VS Code,
// with the packaged Winnow installed, and prints their tests.
import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Editor } from "../host/editor";
import { prepared } from "../host/prepared";
import { type Workspace, customAgents, makeWorkspace } from "../host/workspace";

/** How long all the suites may take, in milliseconds. */
const timeout = 1_200_000;

const workspace = await makeWorkspace();
await customAgents(workspace);
try {
  process.exitCode = await suites(workspace);
} finally {
  await workspace.remove();
}

/** Runs them and returns the exit code. */
async function suites({ dir, folder }: Workspace): Promise<number> {
  const things = prepared();
  const output = path.join(dir, "tests.out");
  writeFileSync(output, "");
  const editor = await Editor.open({
    prepared: things,
    flavour: process.env["WINNOW_TEST_FLAVOUR"] === "plain" ? "plain" : "strict",
    vsix: [things.vsix],
    workspace: folder,
    development: { extension: things.model, tests: path.join(things.model, "tests", "index.js") },
    env: { WINNOW_TEST_OUTPUT: output, WINNOW_TEST_SERVERS: path.resolve("extension", "test", "servers"), ...grep() },
  });
  try {
    const code = await printed(output, Promise.race([editor.tested, delay(timeout, "no end", { ref: false })]));
    if (code === 0) return 0;
    await editor.screenshot("failed/exthost");
    console.log(await editor.profile.tails());
    console.log(`the suites ended with ${code}`);
    return 1;
  } finally {
    await editor.close();
  }
}

/** Which tests to run, when not all. */
function grep(): Record<string, string> {
  const pattern = process.env["WINNOW_TEST_GREP"];
  return pattern === undefined ? {} : { WINNOW_TEST_GREP: pattern };
}

/** Prints what is written to a file until a promise settles, and returns its value. */
async function printed<T>(file: string, ended: Promise<T>): Promise<T> {
  const fd = openSync(file, "r");
  const buffer = Buffer.alloc(1 << 16);
  const print = () => {
    for (let n; (n = readSync(fd, buffer)) > 0;) process.stdout.write(buffer.subarray(0, n));
  };
  const timer = setInterval(print, 100);
  try {
    return await ended;
  } finally {
    clearInterval(timer);
    print();
    closeSync(fd);
  }
}

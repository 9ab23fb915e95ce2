#!/usr/bin/env node
// Starts the winnowd of this platform, which is an optional dependency of this
// package: npm installs the one whose `os` and `cpu` fit.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import process from "node:process";

const name = `@winnow-mcp/winnowd-${process.platform}-${process.arch}`;
const program = `bin/winnowd${process.platform === "win32" ? ".exe" : ""}`;

/** The path of the program, or undefined where its package is missing. */
function find() {
  try {
    return createRequire(import.meta.url).resolve(`${name}/${program}`);
  } catch {
    return undefined;
  }
}

const file = find();
if (file === undefined) {
  console.error(
    `winnow-mcp: the package ${name} is not installed. Either this platform has none, or optional dependencies are ` +
      `left out (npm's --omit=optional): install without that.`,
  );
  process.exit(1);
}

// Without a command winnowd serves an editor, which nobody starts by npx.
const args = process.argv.length > 2 ? process.argv.slice(2) : ["--help"];
const child = spawn(file, args, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  console.error(`winnow-mcp: start ${file}: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
});

// VS Code runs it when the extension is uninstalled: servers that were imported
// into Winnow go back to the files they came from. The daemon, which lies
// beside this script for as long as it runs, does it on the disk.

import { spawnSync } from "node:child_process";
import path from "node:path";

const winnowd = path.join(__dirname, "..", "bin", process.platform === "win32" ? "winnowd.exe" : "winnowd");
spawnSync(winnowd, ["stop"]); // processes of servers that clients share; without any it does nothing
const { error, status } = spawnSync(winnowd, ["undo-imports"], { stdio: "inherit" });
if (error !== undefined) process.stderr.write(`${winnowd}: ${error.message}\n`);
process.exitCode = status ?? 1;

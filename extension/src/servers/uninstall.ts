// VS Code runs this script when the extension is uninstalled. Imported servers are moved back to their files. The
// daemon, which is beside this script meanwhile, does it on disk.

import { spawnSync } from "node:child_process";
import path from "node:path";

const winnowd = path.join(__dirname, "..", "bin", process.platform === "win32" ? "winnowd.exe" : "winnowd");
spawnSync(winnowd, ["stop"]); // ends server processes shared by clients, if any
const { error, status } = spawnSync(winnowd, ["undo-imports"], { stdio: "inherit" });
if (error !== undefined) process.stderr.write(`${winnowd}: ${error.message}\n`);
process.exitCode = status ?? 1;

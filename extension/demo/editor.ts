// Opens the demo's workspace in VS Code, with a scripted model so that the chat
// works without an account. Its argument is what prepare.mjs made.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Profile } from "../test/host/profile";
import { CodeServer } from "../test/host/server";
import { routedName } from "../src/models/twins";
import { openDoorstep } from "./doorstep";
import { DemoError, explain } from "./errors";
import type { Prepared } from "./prepare.mjs";
import { demoServers } from "./servers";
import { type Workspace, createWorkspace } from "./workspace";

/** The root of the checkout, from the bundle in out/demo. */
const checkout = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The servers that winnowd runs; VS Code runs the others, as it would a user's own. */
const ours = ["filesystem", "memory"];

/** What the user reads first in the editor. */
const readme = `# Winnow: try it here

This folder is temporary, and so is the editor's profile: nothing of yours is read or changed. The chat is answered by a
scripted model, so no account is needed: it calls the tool that your words name best.

1. Open the Chat view, pick the model **${routedName("Scripted One")}** and ask, in agent mode: \`get the tiny image\`. VS Code
   starts its servers for the first message; of their tools and Winnow's, together more than a hundred, the model gets 30,
   and calls one. The status bar says how many of how many, and what that saves; a click on it shows why.
2. Ask **@winnow** \`read the note notes/espresso.md\`, and let the tool run. Then \`@winnow /why\` and \`@winnow /usage\`.
3. Open **Winnow** in the activity bar: servers with their cost, tasks with what is attached and why, and where the
   context goes.

The MCP servers are real ones from npm: those of \`.vscode/winnow.json\` are run by Winnow, those of \`.vscode/mcp.json\`
by VS Code.
`;

/** Divides the demo's servers between Winnow's file and VS Code's. */
async function furnish(workspace: Workspace): Promise<void> {
  const all = Object.entries(demoServers(path.join(checkout, "node_modules"), workspace));
  const some = (mine: boolean) => Object.fromEntries(all.filter(([name]) => ours.includes(name) === mine));
  const modes = { notes: { name: "Notes only", allowedMcpServers: ["filesystem"] } };
  const files = {
    ".vscode/winnow.json": JSON.stringify({ servers: some(true), modes }, undefined, 2),
    ".vscode/mcp.json": JSON.stringify({ servers: some(false) }, undefined, 2),
    "README.md": readme,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(workspace.folder, name), text);
}

/** Resolves at a Ctrl-C, SIGTERM or when the terminal is closed. */
async function interrupted(): Promise<void> {
  await Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
}

/** How much of what a failing `code` wrote is shown, in characters. */
const maxWords = 2000;

/**
 * Opens the user's VS Code, on a profile of its own, and waits until its window is closed.
 *
 * @throws DemoError when the command fails, with what to do
 */
async function openCode(file: string, model: string, profile: Profile, folder: string): Promise<void> {
  process.stdout.write("\nVS Code opens on the demo's folder; npm start ends when its window is closed.\n");
  const args = [
    ...["--new-window", "--wait", "--disable-workspace-trust"],
    ...["--user-data-dir", path.join(profile.dir, "user"), "--extensions-dir", path.join(profile.dir, "extensions")],
    ...[checkout, model].map((dir) => `--extensionDevelopmentPath=${dir}`),
    folder,
  ];
  // code.cmd needs a shell; our own paths are all there is in the arguments.
  const shell = process.platform === "win32";
  const child = spawn(shell ? `"${file}"` : file, shell ? args.map((arg) => `"${arg}"`) : args, {
    stdio: ["ignore", "ignore", "pipe"],
    shell,
  });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (words = (words + text).slice(-maxWords)));
  const ended = once(child, "exit").then(
    ([code, signal]: (number | string | null)[]) => (code === 0 ? "" : `ended with ${String(code ?? signal)}`),
    (err: unknown) => `could not be started: ${err instanceof Error ? err.message : String(err)}`,
  );
  const failure = await Promise.race([ended, interrupted()]);
  child.kill();
  if (failure === undefined || failure === "") return;
  throw new DemoError(
    `VS Code's command ${file} ${failure}.${words === "" ? "" : `\n${words.trimEnd()}`}\n` +
      "Mend it, or take it out of the PATH: then VS Code comes from npm. npm start -- --no-editor opens none.",
  );
}

/** Starts code-server, says where it is, and waits for a Ctrl-C. */
async function openServer(prepared: Prepared & { kind: "server" }, profile: Profile, folder: string): Promise<void> {
  const stop = interrupted();
  // Whoever else is on this machine can reach the port too.
  const password = randomBytes(12).toString("base64url");
  process.stderr.write("starting VS Code\n");
  const server = await CodeServer.start({ ...prepared, profile, password });
  const doorstep = await openDoorstep();
  try {
    // Whoever signs in goes on to the doorstep, and from there to the folder.
    const query = new URLSearchParams({ folder, to: doorstep.path });
    process.stdout.write(
      `\nVS Code is at ${server.url}/login?${query.toString()}\nThe password is ${password}. Ctrl-C ends it.\n`,
    );
    await stop;
  } finally {
    doorstep.close();
    await server.stop();
  }
}

async function main(): Promise<void> {
  const prepared = JSON.parse(process.argv[2] ?? "") as Prepared;
  const workspace = await createWorkspace(checkout);
  const profile = await Profile.create({ settings: { "workbench.startupEditor": "readme" } });
  try {
    await furnish(workspace);
    if (prepared.kind === "code") await openCode(prepared.code, prepared.model, profile, workspace.folder);
    else await openServer(prepared, profile, workspace.folder);
  } finally {
    await profile.remove();
    await workspace.remove();
  }
}

main().catch((err: unknown) => {
  process.stderr.write(`npm start: ${explain(err)}\n`);
  process.exitCode = 1;
});

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { demoServers } from "./servers";

/** The folders of one run, all of them under one temporary folder. */
export interface Workspace {
  /** The folder that is open. */
  folder: string;
  /** The notes in it. */
  notes: string;
  /** Where the daemon and the servers keep what they know. */
  storage: string;
  /** Stands for the user's home, so that the demo runs the demo's servers only. */
  home: string;
  /** Removes all of it. */
  remove(): Promise<void>;
}

/** The notes of the demo, by file name. */
export const notes: Readonly<Record<string, string>> = {
  "espresso.md": `# Espresso

18 g in, 36 g out, 28 seconds. Last week's beans ran fast: one step finer.
Descale on the first Sunday of the month.
`,
  "bicycle.md": `# Bicycle

The chain is at 0.6 % and wants replacing before 0.75 %. Tyres: 4.2 bar in
front, 4.5 behind. The bell fell off near the canal.
`,
  "garden.md": `# Garden

Garlic in the ground by early November. The tomatoes under the south wall did
twice as well as those by the shed.
`,
};

/**
 * Makes the demo's workspace: a folder of notes, and a `.vscode/winnow.json`
 * that runs the demo's servers from the checkout's node_modules.
 *
 * @param checkout the root of the checkout.
 */
export async function createWorkspace(checkout: string): Promise<Workspace> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "winnow-demo-")));
  const folder = path.join(base, "workspace");
  const workspace: Workspace = {
    folder,
    notes: path.join(folder, "notes"),
    storage: path.join(base, "storage"),
    home: path.join(base, "home"),
    remove: () => rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
  for (const dir of [workspace.notes, path.join(folder, ".vscode"), workspace.storage, workspace.home]) {
    await mkdir(dir, { recursive: true });
  }
  for (const [name, text] of Object.entries(notes)) {
    await writeFile(path.join(workspace.notes, name), text);
  }
  const config = { servers: demoServers(path.join(checkout, "node_modules"), workspace) };
  await writeFile(path.join(folder, ".vscode", "winnow.json"), JSON.stringify(config, undefined, 2));
  return workspace;
}
